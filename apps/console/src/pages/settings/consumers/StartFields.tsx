import { Radio, Stack, TextInput } from '@mantine/core'
import type { StartDraft, StartKind } from '../../../model/consumer.ts'
import { mistakeAt } from './ConsumerForm.tsx'

const KINDS: readonly (readonly [StartKind, string])[] = [
  ['now', 'Events that are accepted from now on'],
  ['oldest', 'The oldest event that is still stored'],
  ['since', 'Events since a time'],
  ['after', 'Events after a given event'],
]

export const NEW_START: StartDraft = { kind: 'now', since: '', after: '' }

/** The service's error for the position; `null`: none. */
export function startMistake(error: unknown, { kind }: StartDraft): string | null {
  if (mistakeAt(error, `/${kind}`) === null) return null
  return kind === 'after'
    ? 'No event that is still stored has this id.'
    : 'The service cannot start at this time. Enter another time.'
}

/** Form fields for a position in the feed. */
export function StartFields(props: {
  readonly label: string
  readonly draft: StartDraft
  readonly onChange: (draft: StartDraft) => void
  readonly error: string | null
}) {
  const { label, draft, onChange, error } = props
  return (
    <>
      <Radio.Group
        label={label}
        value={draft.kind}
        onChange={(kind) => onChange({ ...draft, kind: kind as StartKind })}
      >
        <Stack gap="xs" mt={6}>
          {KINDS.map(([value, text]) => (
            <Radio key={value} value={value} label={text} />
          ))}
        </Stack>
      </Radio.Group>
      {draft.kind === 'since' && (
        <TextInput
          label="Time, in your time zone"
          type="datetime-local"
          step={1}
          required
          value={draft.since}
          onChange={(event) => onChange({ ...draft, since: event.currentTarget.value })}
          error={error}
        />
      )}
      {draft.kind === 'after' && (
        <TextInput
          label="Id of the event"
          description="The consumer starts after this event. The page Events shows ids."
          required
          autoComplete="off"
          spellCheck={false}
          value={draft.after}
          onChange={(event) => onChange({ ...draft, after: event.currentTarget.value })}
          error={error}
        />
      )}
    </>
  )
}
