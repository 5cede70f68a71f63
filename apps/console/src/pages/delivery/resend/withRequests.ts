import type { Delivery } from '../../../model/delivery.ts'

/** The answer to a resend holds no requests: those that were read before are still right. */
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
