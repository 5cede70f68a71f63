/** The share of attempts that succeeded; `null`: there were none. */
export const successRate = ({ succeeded, failed }: { succeeded: number; failed: number }): number | null =>
  succeeded + failed === 0 ? null : succeeded / (succeeded + failed)

/** "99.9%": rounded down, so that 100% means that nothing failed. @param rate 0 to 1 */
export function rateText(rate: number): string {
  const percent = Math.floor(rate * 1_000 + 1e-9) / 10
  return `${Number.isInteger(percent) ? percent : percent.toFixed(1)}%`
}

const whole = new Intl.NumberFormat('en')
/** "12,345". */
export const countText = (count: number): string => whole.format(count)
