import { MINUTE_MS, SECOND_MS } from '../../../src/core/duration.ts'
import { type Fate, NORMAL, type StoreCall } from '../nodes/fates.ts'
import type { WayOut } from '../nodes/wayOut.ts'
import type { Draws } from './draws.ts'
import { type Draw, type DrawnFault, FAULT_KINDS, type FaultKind, type Spell } from './faultKinds.ts'
import { type Faults, NO_FAULTS, type RequestMade } from './faults.ts'

const KINDS = Object.keys(FAULT_KINDS) as FaultKind[]
/** Kinds of faults in one simulation, and how many of each. */
const KINDS_AT_ONCE = 5
const MOST_OF_EACH = 3

/** Everything works until then. */
const FIRST_AT = 15 * SECOND_MS
/** No fault lasts for longer than this. */
const LONGEST_MS = 75 * SECOND_MS
/** Leases of a dead node end, others take over, and failed calls are retried. */
const RECOVERY_MS = 100 * SECOND_MS
/** A lease written by a clock that was ahead ends 10 minutes after others notice. */
const RECOVERY_FROM_WRONG_LEASES_MS = 12 * MINUTE_MS
/**
 * Nodes learn the store's time by halves of round trips, and record once a minute until when it was right.
 */
const UNSURE_OF_TIME_MS = 3 * MINUTE_MS
/** Of the requests of a node whose requests kill it. */
const KILLED_BY_REQUEST = 0.05

/**
 * Faults of several kinds, all over by `untilMs`. The store takes small steps, so that little fills it.
 * @param wanted the kinds; absent: some that are drawn
 */
export function drawFaults(
  draws: Draws,
  untilMs: number,
  { nodes, wanted = drawKinds(draws) }: { readonly nodes: number; readonly wanted?: readonly FaultKind[] },
): Faults {
  const drawn = wanted.flatMap((kind) => {
    const matter = KINDS.indexOf(kind)
    return Array.from({ length: draws.between(1, MOST_OF_EACH, 70, matter) }, (_, position): DrawnFault => {
      const draw: Draw = (min, max, ...more) => draws.between(min, max, 71, matter, position, ...more)
      const at = draw(FIRST_AT, untilMs - LONGEST_MS, 20)
      return FAULT_KINDS[kind]({ at, node: draw(0, nodes - 1, 21), nodes, draw })
    })
  })
  const recoveryMs = wanted.includes('all clocks') ? RECOVERY_FROM_WRONG_LEASES_MS : RECOVERY_MS
  const spells = drawn.flatMap(({ spell }) => spell ?? [])
  const incidents = drawn.flatMap((one) => one.incidents ?? [])
  return {
    ...NO_FAULTS,
    nodes,
    // An embedded store and its node have one machine.
    clocks: nodes === 1 ? 'machine' : 'store',
    graceMs: 2 * MINUTE_MS,
    sizes: { atOnce: 20, canceledAtOnce: 5, leasesFreed: 3 },
    fateOf: (call) => fateIn(spells, draws, call),
    killsAt: (request) => killsIn(spells, draws, request),
    wayOutOf: (node, at) => wayOutIn(spells, node, at),
    announceMs: (process, news) =>
      draws.of(72, process, news) < 0.9 ? draws.between(1, 60, 73, process, news) : SECOND_MS,
    awayMs: (process) => draws.between(SECOND_MS, 40 * SECOND_MS, 74, process),
    incidents: incidents.sort((a, b) => a.at - b.at),
    disturbances: drawn.map(({ lasts: [from, to] }) => [from, to + recoveryMs]),
    clockErrorMs: drawn.reduce((sum, one) => sum + (one.clockErrorMs ?? 0), UNSURE_OF_TIME_MS),
  }
}

function drawKinds(draws: Draws): FaultKind[] {
  const order = new Map(KINDS.map((kind, position) => [kind, draws.of(75, position)]))
  return KINDS.toSorted((a, b) => order.get(a)! - order.get(b)!).slice(0, KINDS_AT_ONCE)
}

/** Calls of people and of starting processes fail like all others. */
function fateIn(spells: readonly Spell[], draws: Draws, call: StoreCall): Fate {
  const { at, process, number } = call
  for (const [position, { from, to, fateOf }] of spells.entries()) {
    if (fateOf === undefined || at < from || at >= to) continue
    const draw: Draw = (min, max, ...matter) =>
      draws.between(min, max, 76, position, process, number, ...matter)
    const fate = fateOf(call, draw)
    if (fate !== null) return fate
  }
  return NORMAL
}

function wayOutIn(spells: readonly Spell[], node: number, at: number): WayOut | null {
  const closing = spells.find(
    ({ from, to, closes }) =>
      closes !== undefined && at >= from && at < to && (closes.node === 'all' || closes.node === node),
  )
  return closing?.closes?.wayOut ?? null
}

function killsIn(
  spells: readonly Spell[],
  draws: Draws,
  { at, node, process, number }: RequestMade,
): 'request' | 'answer' | null {
  const kills = spells.some(
    ({ from, to, killsRequestsOf }) => at >= from && at < to && killsRequestsOf === node,
  )
  if (!kills || draws.of(77, process, number) >= KILLED_BY_REQUEST) return null
  return draws.of(78, process, number) < 0.5 ? 'request' : 'answer'
}
