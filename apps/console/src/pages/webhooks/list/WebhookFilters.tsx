import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { STATE_NAMES } from '../../../model/webhook.ts'
import { WEBHOOK_STATES, type WebhookSearch } from '../../../model/webhookSearch.ts'
import { capitalized } from '../../../model/words.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Delay between the last keystroke and the search. */
const PAUSE_MS = 300

/** Filters and order of the list. */
export function WebhookFilters(props: {
  readonly search: WebhookSearch
  readonly onChange: (
    changes: { readonly [Name in keyof WebhookSearch]: WebhookSearch[Name] | undefined },
  ) => void
}) {
  const { search, onChange } = props
  const { canDisable } = useWorkspace().service.features
  // Services without webhook states still detect failing ones.
  const states = canDisable ? WEBHOOK_STATES : (['failing'] as const)
  return (
    <Group align="flex-end" gap="sm">
      <TypedText value={search.q ?? ''} onChange={(q) => onChange({ q: q === '' ? undefined : q })} />
      <Group gap={6} role="group" aria-label="State">
        {[undefined, ...states].map((state) => (
          <Button
            key={state ?? 'all'}
            size="compact-sm"
            radius="xl"
            variant={search.state === state ? 'filled' : 'default'}
            aria-pressed={search.state === state}
            fw={500}
            onClick={() => onChange({ state })}
          >
            {capitalized(state === undefined ? 'all' : STATE_NAMES[state])}
          </Button>
        ))}
      </Group>
      <NativeSelect
        label="Order"
        size="xs"
        data={[
          { value: 'failing', label: 'Failing first' },
          { value: 'newest', label: 'Newest first' },
        ]}
        value={search.order ?? 'failing'}
        onChange={({ currentTarget: { value } }) =>
          onChange({ order: value === 'newest' ? 'newest' : undefined })
        }
      />
    </Group>
  )
}

function TypedText(props: { readonly value: string; readonly onChange: (value: string) => void }) {
  const { value, onChange } = props
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    const text = typed.trim()
    if (text === value) return
    const timer = setTimeout(() => onChange(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, value, onChange])
  return (
    <TextInput
      label="Search"
      type="search"
      size="xs"
      leftSection={<IconSearch size={14} />}
      placeholder="URL, description, event type or id"
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      style={{ flex: '1 1 240px', maxWidth: 420 }}
    />
  )
}
