import { randomFrom } from '../../support/random.ts'
import type { CustomerSite } from './customers.ts'
import { ADS_HOOKS, CONTENT_HOOKS, type Hook, NEIGHBORS } from './hooks.ts'

const HOUR_MS = 3_600_000

/**
 * The targets of all webhooks, each answering as it does at that time. @param msAgo before the end of the
 * week
 */
export function customerSites(msAgo: () => number): CustomerSite[] {
  const random = randomFrom(7)
  const neighbors = NEIGHBORS.map(([, , , url, tookMs]) => ({ url, tookMs, description: '', events: [] }))
  const hooks: Hook[] = [
    ...Object.values<Hook>(CONTENT_HOOKS),
    ...Object.values<Hook>(ADS_HOOKS),
    ...neighbors,
  ]
  return hooks.map(({ url, tookMs, answer = { status: 204 }, troubles = [] }) => ({
    url,
    // Most answers are quick; some take several times as long.
    tookMs: () => tookMs * (0.6 + 0.6 * random() + 3 * random() ** 12),
    answer() {
      const hoursAgo = msAgo() / HOUR_MS
      const trouble = troubles.find(
        ({ hours: [from, to], share = 1 }) =>
          hoursAgo <= from && (hoursAgo > to || to === 0) && random() < share,
      )
      return trouble?.answer ?? answer
    },
  }))
}
