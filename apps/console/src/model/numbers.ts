const digits = new Intl.NumberFormat('en')

/** "12,345". */
export const countText = (count: number): string => digits.format(count)

/** "1 webhook", "1,200 deliveries". @param nouns plural; by default with an s */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${countText(count)} ${count === 1 ? noun : nouns}`

/** "12 deliveries". */
export const deliveriesText = (count: number): string => counted(count, 'delivery', 'deliveries')

/** Share from 0 to 1; `null`: the total is 0. */
export const shareOf = (part: number, all: number): number | null => (all === 0 ? null : part / all)

/** "99.2%". Never rounds to 0% or 100%. */
export function shareText(share: number): string {
  const percent = share * 100
  if (percent === 0 || percent === 100) return `${percent}%`
  const places = percent > 99 || percent < 1 ? 2 : 1
  const shown = Math.min(99.99, Math.max(0.01, percent)).toFixed(places)
  return `${shown.replace(/\.0+$/, '')}%`
}

/** The service stops counting pending deliveries here. */
const MOST_PENDING = 1_000

/** "12", "1,000+". */
export const pendingText = (count: number): string =>
  count >= MOST_PENDING ? `${countText(MOST_PENDING)}+` : countText(count)
