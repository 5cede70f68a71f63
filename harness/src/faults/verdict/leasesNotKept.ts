import type { Totals } from '../tally.ts'

/** Number of rounds per lease that a busy machine may cost. */
const ROUNDS_PER_LAPSE = 4

/** Lost leases excuse repeats, so they must be rare. */
export function leasesNotKept(
  { rounds, unforcedLapses }: Pick<Totals, 'rounds' | 'unforcedLapses'>,
  nodes: number,
  shared: boolean,
): string[] {
  const most = shared ? nodes + Math.floor(rounds / ROUNDS_PER_LAPSE) : 0
  if (unforcedLapses <= most) return []
  return [
    `leases ran out ${unforcedLapses} times in ${rounds} rounds though nothing was done to their nodes` +
      (shared ? '; is the machine too busy for this?' : ', and no other node could have taken them'),
  ]
}
