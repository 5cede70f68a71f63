import { grouped } from '../../support/grouped.ts'
import type { HookEvidence } from '../evidence.ts'
import { disagreements } from './agreement.ts'
import type { Circumstances, Known, RequestsByEvent } from './known.ts'
import { contradictionsInLog } from './log.ts'
import { contradictionsInRequests } from './requests.ts'

/**
 * Compares the service's log of a webhook with the requests that its receiver saw. @returns descriptions of
 * the contradictions
 */
export function contradictionsOf(hook: HookEvidence, circumstances: Circumstances): string[] {
  const { deliveries, publishes } = hook
  const bySubject = new Map<string, Known>(
    publishes.flatMap((publish) => publish.events.map((event) => [event.subject, { publish, event }])),
  )
  const requests: RequestsByEvent = grouped(hook.requests, ({ eventId }) => eventId)
  const found = contradictionsInRequests(hook, requests, bySubject, circumstances)
  if (deliveries !== null) {
    found.push(...contradictionsInLog(hook, deliveries, [...bySubject.values()]))
    found.push(...disagreements(hook, deliveries, requests, circumstances))
  }
  return found.map((text) => `${hook.name}: ${text}`)
}
