import { Loader, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { urlCheckQuery } from '../../../api/urlChecks.ts'
import { plainText } from '../../../shared/untrusted/pieces.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Delay between the last keystroke and the check. */
const REST_MS = 450

/** The URL of a webhook, checked while it is typed. */
export function UrlField(props: {
  readonly value: string
  readonly onChange: (value: string) => void
  /** The service's error for this value. */
  readonly refusal: string | null
  /** The current URL of the webhook, which needs no check. */
  readonly current?: string
}) {
  const { id: ws } = useWorkspace()
  const { value, onChange, refusal, current } = props
  const url = value.trim()
  const [rested] = useDebouncedValue(url, REST_MS)
  const check = useQuery(urlCheckQuery(ws, rested === current ? '' : rested))
  const settled = rested === url && url !== '' && url !== current
  const found = settled ? check.data : undefined
  const reason = refusal ?? (found?.ok === false ? (found.reason ?? null) : null)
  const fine = found?.ok === true && refusal === null
  return (
    <TextInput
      label="URL"
      description="Where events are sent. A public https:// address, or one that your operator allows."
      placeholder="https://example.com/webhooks"
      type="url"
      inputMode="url"
      name="url"
      autoComplete="url"
      spellCheck={false}
      withAsterisk
      aria-required
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={reason === null ? null : plainText(reason)}
      inputWrapperOrder={['label', 'description', 'input', 'error']}
      rightSection={<Sign checking={settled && check.isFetching} fine={fine} bad={reason !== null} />}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      data-autofocus
    />
  )
}

function Sign({
  checking,
  fine,
  bad,
}: {
  readonly checking: boolean
  readonly fine: boolean
  readonly bad: boolean
}) {
  if (checking) return <Loader size={16} aria-label="Checking the URL" />
  if (bad) return <IconAlertCircle size={18} color="var(--ph-bad)" aria-hidden />
  return (
    <Text component="span" role="status" lh={0} c="var(--ph-good)">
      {fine && <IconCircleCheck size={18} aria-label="This URL is valid" />}
    </Text>
  )
}
