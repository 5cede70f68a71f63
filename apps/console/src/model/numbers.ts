const digits = new Intl.NumberFormat('en')

/** "12,345". */
export const countText = (count: number): string => digits.format(count)

/** "1 webhook", "1,200 deliveries". @param nouns more of it; with an s when left out */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${countText(count)} ${count === 1 ? noun : nouns}`

/** "12 deliveries". */
export const deliveriesText = (count: number): string => counted(count, 'delivery', 'deliveries')

/** From 0 to 1; `null`: there was nothing that it could be a share of. */
export const shareOf = (part: number, all: number): number | null => (all === 0 ? null : part / all)

/** "99.2%". Only what is whole says 100%, and only what is nothing says 0%. */
export function shareText(share: number): string {
  const percent = share * 100
  if (percent === 0 || percent === 100) return `${percent}%`
  const places = percent > 99 || percent < 1 ? 2 : 1
  const shown = Math.min(99.99, Math.max(0.01, percent)).toFixed(places)
  return `${shown.replace(/\.0+$/, '')}%`
}

/** The service counts what is pending as far as this. */
const MOST_PENDING = 1_000

/** "12", "1,000+". */
export const pendingText = (count: number): string =>
  count >= MOST_PENDING ? `${countText(MOST_PENDING)}+` : countText(count)
