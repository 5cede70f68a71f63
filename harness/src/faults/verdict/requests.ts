import type { SeenRequest } from '../../receivers/scriptedReceiver.ts'
import { EVENTS } from '../../support/events.ts'
import type { HookEvidence, Publish } from '../evidence.ts'
import { expectationOf, maySendAt } from './expectation.ts'
import type { Circumstances, Known, RequestsByEvent } from './known.ts'

/**
 * Contradictions in the requests themselves: forgeries, events that were never sent or are not for this
 * webhook.
 */
export function contradictionsInRequests(
  hook: HookEvidence,
  requests: RequestsByEvent,
  bySubject: ReadonlyMap<string, Known>,
  { stopsWithinMs }: Pick<Circumstances, 'stopsWithinMs'>,
): string[] {
  const { subjectIn } = EVENTS[hook.dialect]
  const tests = new Set(hook.sends.map(({ eventId }) => eventId))
  const idOf = new Map<string, string>()
  return [...requests].flatMap(([eventId, ofEvent]) => {
    const found = contradictionsAmong(ofEvent)
    if (ofEvent.some((request) => !maySendAt(hook, request.seenAt, stopsWithinMs)))
      found.push('came when its webhook had not been on for a while')
    if (!tests.has(eventId)) {
      const subject = subjectIn(ofEvent[0]!.body)
      found.push(...contradictionsWithPublish(hook, ofEvent, bySubject.get(subject)))
      if (idOf.has(subject)) found.push(`is the same as ${idOf.get(subject)}: it was stored twice`)
      idOf.set(subject, eventId)
    }
    return found.map((text) => `event ${eventId} ${text}`)
  })
}

function contradictionsAmong(requests: readonly SeenRequest[]): string[] {
  const found: string[] = []
  const forged = requests.find(({ forgery }) => forgery !== null)
  if (forged !== undefined) found.push(`did not verify: ${forged.forgery}`)
  if (new Set(requests.map(({ body }) => body)).size > 1) found.push('came with two bodies')
  return found
}

function contradictionsWithPublish(
  hook: HookEvidence,
  requests: readonly SeenRequest[],
  known: Known | undefined,
): string[] {
  if (known === undefined) return ['arrived, but was never published']
  const { publish, event } = known
  const found: string[] = []
  if (event.id !== null && event.id !== requests[0]!.eventId)
    found.push(`arrived, but was acknowledged as ${event.id}`)
  if (expectationOf(hook, publish, event.type) === 'must not')
    found.push('arrived, though the webhook was not to get it')
  return [...found, ...requests.flatMap((request) => staleIn(hook, publish, request))]
}

/** A URL or secrets that had been replaced when the event was published. */
function staleIn(
  { states, secrets, dialect }: HookEvidence,
  publish: Publish,
  { path, seenAt, forgery, signedBy }: SeenRequest,
): string[] {
  const found: string[] = []
  const paths = states.possible(publish.begin, seenAt).map((state) => state.path)
  if (!paths.includes(path)) found.push(`came to the old ${path}`)
  if (forgery !== null) return found
  const newest = secrets.findLastIndex(({ end }) => end <= publish.begin)
  if (Math.max(...signedBy) < newest) found.push('was signed only with an old secret')
  // Only one of the services allows overlapping secrets.
  const overlap = dialect === 'content' && newest > 0
  if (overlap && signedBy.length < 2) found.push('was signed with one secret while two overlap')
  return found
}
