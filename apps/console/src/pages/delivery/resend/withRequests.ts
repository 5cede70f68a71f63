import type { Delivery } from '../../../model/delivery.ts'

/** Keeps the known requests, which the response to a resend omits. */
export function withRequests(sent: Delivery, before: Delivery | undefined): Delivery {
  if (before === undefined) return sent
  const known = new Map(before.attempts.map(({ number, request }) => [number, request]))
  return {
    ...sent,
    requestBody: before.requestBody,
    attempts: sent.attempts.map((attempt) => ({
      ...attempt,
      request: attempt.request ?? known.get(attempt.number) ?? null,
    })),
  }
}
