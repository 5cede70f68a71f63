import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { eventTypesQuery } from '../../../api/eventTypes.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Selects the event of a test: the service's test event, or an example of one of the webhook's types. */
export function TestTypeSelect(props: {
  /** Of the webhook; empty: all. */
  readonly eventTypes: readonly string[]
  /** `null`: the default test. */
  readonly type: string | null
  readonly onChange: (type: string | null) => void
}) {
  const { eventTypes, type, onChange } = props
  const { id: ws, service } = useWorkspace()
  const { testType } = service.features
  const all = useQuery({ ...eventTypesQuery(ws), enabled: eventTypes.length === 0 })
  const types =
    eventTypes.length > 0
      ? eventTypes
      : (all.data ?? []).map((one) => one.type).filter((name) => name !== testType)
  const examples = types.map((name) => ({ value: name, label: `Example of ${name}` }))
  const usual = testType === null ? [] : [{ value: '', label: testType }]
  const choices = [...usual, ...examples]
  if (choices.length < 2) return null
  return (
    <NativeSelect
      label="Test event"
      data={choices}
      value={type ?? choices[0]!.value}
      onChange={(event) => onChange(event.currentTarget.value === '' ? null : event.currentTarget.value)}
      maw={420}
    />
  )
}
