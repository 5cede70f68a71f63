import type { SeenRequest } from '../../receivers/scriptedReceiver.ts'
import type { Delivery, HookEvidence, Loss } from '../evidence.ts'
import type { Circumstances, RequestsByEvent } from './known.ts'
import { endOf, excuses, matchAttempts, type Unrecorded } from './matching.ts'

/** A node that was frozen, or a busy machine, may have been too slow with any request. */
const ALWAYS_POSSIBLE = ['timeout', 'connect_timeout', 'http_status', 'redirect']

/** Contradictions between the log of a webhook and its receiver. */
export function disagreements(
  hook: HookEvidence,
  deliveries: readonly Delivery[],
  requests: RequestsByEvent,
  circumstances: Circumstances,
): string[] {
  const { losses } = circumstances
  const logged = new Set(deliveries.map(({ eventId }) => eventId))
  const found = [...requests.keys()]
    .filter((eventId) => !logged.has(eventId))
    .map((eventId) => `event ${eventId} arrived, but is not in the log`)
  const unrecorded: Unrecorded[] = []
  for (const delivery of deliveries) {
    const { id, eventId, attempts } = delivery
    const seen = requests.get(eventId) ?? []
    const matching = matchAttempts(attempts, seen, losses, hook.honest)
    unrecorded.push(...matching.unrecorded)
    const complaints = [
      ...complaintsAboutDelivery(delivery, hook, seen),
      ...matching.unseen.map(
        ({ number, statusCode }) => `has an attempt ${number}, ${statusCode}, that no receiver saw`,
      ),
      ...complaintsAboutUnrecorded(matching.unrecorded),
    ]
    found.push(...complaints.map((text) => `delivery ${id} of ${eventId} ${text}`))
  }
  return [...found, ...complaintsAboutFlight(unrecorded, circumstances)]
}

function complaintsAboutDelivery(
  { id, attempts }: Delivery,
  { honest }: HookEvidence,
  seen: readonly SeenRequest[],
): string[] {
  const found: string[] = []
  if (seen.some(({ deliveryId }) => deliveryId !== null && deliveryId !== id))
    found.push('came under another id')
  const odd = attempts.find(({ error }) => error !== null && !ALWAYS_POSSIBLE.includes(error))
  if (honest && odd !== undefined)
    found.push(`has ${odd.error} for attempt ${odd.number}, though its receiver answers everything`)
  return found
}

function complaintsAboutUnrecorded(unrecorded: readonly Unrecorded[]): string[] {
  const explained = unrecorded.filter(({ loss }) => loss !== null).length
  if (explained === unrecorded.length) return []
  return [`came ${unrecorded.length} times more than the log says, but ${explained} faults explain any of it`]
}

/** The requests lost in flight at one fault cannot exceed the limit of requests in flight. */
function complaintsAboutFlight(
  unrecorded: readonly Unrecorded[],
  { losses, maxInFlightPerWebhook }: Circumstances,
): string[] {
  // Twice, since requests that the sender has just abandoned look in flight for a moment.
  const most = 2 * maxInFlightPerWebhook
  return losses.flatMap((loss) => {
    const inFlight = unrecorded.filter(
      ({ request }) => endOf(request) > loss.at && isOnlyExcuse(loss, request, losses),
    ).length
    return inFlight <= most ? [] : [`${inFlight} attempts were under way at one fault (${loss.cause})`]
  })
}

const isOnlyExcuse = (loss: Loss, request: SeenRequest, losses: readonly Loss[]) =>
  losses.every((other) => excuses(other, request) === (other === loss))
