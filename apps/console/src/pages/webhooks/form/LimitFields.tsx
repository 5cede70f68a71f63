import { SimpleGrid, TextInput } from '@mantine/core'
import type { Draft } from '../../../model/draft.ts'
import type { Refusals } from './refusals.ts'

/** How fast deliveries may go to a webhook. */
export function LimitFields(props: {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly refusals: Refusals
}) {
  const { draft, onChange, refusals } = props
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
      <TextInput
        label="Most per second"
        description="Attempts that begin in a second, such as 5 or 0.5. Empty: no limit. More than that waits."
        name="max-per-second"
        inputMode="decimal"
        autoComplete="off"
        value={draft.maxPerSecond}
        onChange={(event) => onChange({ ...draft, maxPerSecond: event.currentTarget.value })}
        error={refusals.maxPerSecond}
      />
      <TextInput
        label="Most at once"
        description="Attempts that wait for an answer at the same time, such as 2. Empty: as many as for any other."
        name="max-in-flight"
        inputMode="numeric"
        autoComplete="off"
        value={draft.maxInFlight}
        onChange={(event) => onChange({ ...draft, maxInFlight: event.currentTarget.value })}
        error={refusals.maxInFlight}
      />
    </SimpleGrid>
  )
}
