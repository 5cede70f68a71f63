import type { HookEvidence, HookState, Publish } from '../evidence.ts'

/** Whether a webhook must get an event, may get it, or must not. */
export type Expectation = 'must' | 'may' | 'must not'

const wants = ({ status, types }: HookState, type: string) =>
  status === 'on' && (types.length === 0 || types.includes(type))

/**
 * An event goes to the webhooks that match it at one moment between its publish and its acknowledgement. If a
 * webhook was being changed during that time, both outcomes are correct.
 */
export function expectationOf(
  { states, suspended }: Pick<HookEvidence, 'states' | 'suspended'>,
  publish: Publish,
  type: string,
): Expectation {
  const end = publish.acknowledgedAt ?? Number.POSITIVE_INFINITY
  const wanted = states.possible(publish.begin, end).map((state) => wants(state, type))
  const held = suspended.possible(publish.begin, end)
  if (!wanted.includes(true) || !held.includes(false)) return 'must not'
  if (publish.acknowledgedAt === null || wanted.includes(false) || held.includes(true)) return 'may'
  return 'must'
}

/** Whether a request may be seen at a time: the webhook was enabled then, or shortly before. */
export function maySendAt(
  { states, suspended }: Pick<HookEvidence, 'states' | 'suspended'>,
  time: number,
  stopsWithinMs: number,
): boolean {
  return (
    states.possible(time - stopsWithinMs, time).some(({ status }) => status === 'on') &&
    suspended.possible(time - stopsWithinMs, time).includes(false)
  )
}

/** Whether the webhook was certainly enabled, and its workspace not suspended, from `since` to the end. */
export function stayedOn({ states, suspended }: HookEvidence, since: number): boolean {
  return (
    states.possible(since, Number.POSITIVE_INFINITY).every(({ status }) => status === 'on') &&
    suspended.possible(since, Number.POSITIVE_INFINITY).every((isSuspended) => !isSuspended)
  )
}

/** Whether the webhook may have been in one of these states at some time. */
export function mayHaveBeen({ states }: HookEvidence, ...statuses: readonly HookState['status'][]): boolean {
  return states.spans.some(({ state }) => statuses.includes(state.status))
}

/** Whether pending deliveries may stay pending for ever. */
export const holdsStill = ({ states, suspended }: HookEvidence) =>
  states.last.status === 'paused' || suspended.last
