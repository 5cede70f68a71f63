import { whole } from '../frame/metrics.ts'
import type { Answers, RawReport } from '../raw/rawSender.ts'

/** Temporary rejections of a service that protects itself. */
const REFUSED = ['429', '503']

/** How an attacker's requests were answered. */
export const ANSWER_METRICS = {
  acceptedRequests: whole('attacker: requests accepted'),
  refusedRequests: whole('attacker: rejected, 429 or 503'),
  rejectedRequests: whole('attacker: rejected, other 4xx'),
  closedRequests: whole('attacker: closed without a response'),
} as const

export function answerMetrics({
  answers,
}: Pick<RawReport, 'answers'>): Record<keyof typeof ANSWER_METRICS, number> {
  const count = (matches: (status: string) => boolean) =>
    Object.values(answers)
      .flatMap((byStatus) => Object.entries(byStatus))
      .reduce((sum, [status, requests]) => sum + (matches(status) ? requests : 0), 0)
  return {
    acceptedRequests: count((status) => status === '202'),
    refusedRequests: count((status) => REFUSED.includes(status)),
    rejectedRequests: count((status) => status.startsWith('4') && !REFUSED.includes(status)),
    closedRequests: count((status) => status === 'closed'),
  }
}

/**
 * Answers that no request of that name should get. Rejections and closed connections are always allowed.
 * @param isExpected of any other status
 */
export function answerComplaints(
  answers: Answers,
  isExpected: (name: string, status: string) => boolean,
): string[] {
  const isRight = (name: string, status: string) =>
    status === 'closed' || REFUSED.includes(status) || isExpected(name, status)
  return Object.entries(answers).flatMap(([name, byStatus]) =>
    Object.entries(byStatus)
      .filter(([status]) => !isRight(name, status))
      .map(
        ([status, requests]) => `${requests} requests of the attacker (${name}) got the response ${status}`,
      ),
  )
}
