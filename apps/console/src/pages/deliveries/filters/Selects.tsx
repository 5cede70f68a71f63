import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { eventTypesQuery } from '../../../api/eventTypes.ts'
import { capitalized } from '../../../model/words.ts'
import { plainText } from '../../../shared/untrusted/pieces.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { useWebhookNames } from '../useWebhookNames.ts'
import type { FilterProps } from './filterProps.ts'
import { TypedFilter } from './TypedFilter.tsx'

export function WebhookFilter({ search, onChange }: FilterProps) {
  const { noun } = useWorkspace().service.features
  const names = useWebhookNames()
  const data = [...names].map(([value, name]) => ({ value, label: plainText(name) }))
  const { webhook = null } = search
  // Unknown webhooks, such as deleted ones, are named by their id.
  if (webhook !== null && !names.has(webhook)) data.unshift({ value: webhook, label: plainText(webhook) })
  return (
    <NativeSelect
      label={capitalized(noun)}
      size="xs"
      data={[{ value: '', label: `All ${noun}s` }, ...data]}
      value={webhook ?? ''}
      onChange={({ currentTarget: { value } }) => onChange({ webhook: value === '' ? undefined : value })}
    />
  )
}

export function EventTypeFilter({ search, onChange }: FilterProps) {
  const { id, service } = useWorkspace()
  const types = useQuery(eventTypesQuery(id))
  const { type = null } = search
  const names = new Set((types.data ?? []).map((each) => each.type))
  if (service.features.openCatalog) {
    return (
      <TypedFilter
        label="Event type"
        placeholder="All types"
        value={search.type}
        onChange={(typed) => onChange({ type: typed })}
        known={[...names]}
      />
    )
  }
  if (type !== null) names.add(type)
  return (
    <NativeSelect
      label="Event type"
      size="xs"
      data={[
        { value: '', label: 'All types' },
        ...[...names].map((value) => ({ value, label: plainText(value) })),
      ]}
      value={type ?? ''}
      onChange={({ currentTarget: { value } }) => onChange({ type: value === '' ? undefined : value })}
    />
  )
}
