import type { Totals } from '../tally.ts'

/** Rounds in which a machine that is busy with other things may cost a lease. */
const ROUNDS_PER_LAPSE = 4

/** What costs leases excuses repeats, so it must not cost them all the time. */
export function leasesNotKept(
  { rounds, unforcedLapses }: Pick<Totals, 'rounds' | 'unforcedLapses'>,
  nodes: number,
  shared: boolean,
): string[] {
  const most = shared ? nodes + Math.floor(rounds / ROUNDS_PER_LAPSE) : 0
  if (unforcedLapses <= most) return []
  return [
    `leases ran out ${unforcedLapses} times in ${rounds} rounds though nothing was done to their nodes` +
      (shared ? '; is the machine too busy for this?' : ', and there is nobody who could have taken them'),
  ]
}
