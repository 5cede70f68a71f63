import { SimpleGrid, TextInput } from '@mantine/core'
import type { Draft } from '../../../model/draft.ts'
import type { Refusals } from './refusals.ts'

/** Rate and concurrency limits of a webhook. */
export function LimitFields(props: {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly refusals: Refusals
}) {
  const { draft, onChange, refusals } = props
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
      <TextInput
        label="Rate limit (attempts per second)"
        description="Deliveries above the limit wait. Leave empty for no limit."
        name="max-per-second"
        inputMode="decimal"
        autoComplete="off"
        value={draft.maxPerSecond}
        onChange={(event) => onChange({ ...draft, maxPerSecond: event.currentTarget.value })}
        error={refusals.maxPerSecond}
      />
      <TextInput
        label="Concurrent attempts"
        description="Leave empty for the service's default."
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
