import type { Delivery, HookEvidence } from '../evidence.ts'
import { expectationOf } from './expectation.ts'
import type { Known } from './known.ts'
import { contradictionsInRuns } from './runs.ts'

/** Contradictions in the log itself: missing or unexpected deliveries, and impossible values in each. */
export function contradictionsInLog(
  hook: HookEvidence,
  deliveries: readonly Delivery[],
  published: readonly Known[],
): string[] {
  const logged = new Set(deliveries.map(({ eventId }) => eventId))
  const found = logged.size < deliveries.length ? ['the log has two deliveries of one event'] : []
  const expected = new Set<string>()
  for (const { publish, event } of published) {
    if (event.id === null) continue
    expected.add(event.id)
    const expectation = expectationOf(hook, publish, event.type)
    if (expectation === 'must' && !logged.has(event.id))
      found.push(`acknowledged event ${event.id} has no delivery`)
    if (expectation === 'must not' && logged.has(event.id))
      found.push(`event ${event.id} has a delivery, though the webhook was not to get it`)
  }
  for (const { eventId } of hook.sends) {
    if (eventId === null) continue
    expected.add(eventId)
    if (!logged.has(eventId)) found.push(`the test ${eventId} has no delivery`)
  }
  const unknown = deliveries.filter(({ eventId }) => !expected.has(eventId)).length
  const unacknowledged = published.filter(({ event }) => event.id === null).length
  if (unknown > unacknowledged)
    found.push(`the log has ${unknown} unknown events, but ${unacknowledged} were not acknowledged`)
  const inEach = deliveries.flatMap((delivery) =>
    contradictionsInRuns(delivery, hook).map(
      (text) => `delivery ${delivery.id} of ${delivery.eventId} ${text}`,
    ),
  )
  return [...found, ...inEach]
}
