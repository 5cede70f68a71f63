import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/core/duration.ts'
import {
  answeringLate,
  type Fate,
  failing,
  killing,
  losingAnswer,
  NORMAL,
  REPEATED,
  type StoreCall,
} from '../nodes/fates.ts'
import type { Process } from '../nodes/process.ts'
import { WAYS_OUT, type WayOut, type WayOutFault } from '../nodes/wayOut.ts'
import type { Disturbance } from '../oracle/disturbances.ts'
import type { Incident, Scene } from './faults.ts'

/** Random whole numbers for one purpose; both limits are included. */
export type Draw = (min: number, max: number, ...matter: readonly number[]) => number

/** A period in which calls of the store, or requests, behave unusually. */
export interface Spell {
  readonly from: number
  readonly to: number
  /** @returns `null`: as usual */
  readonly fateOf?: (call: StoreCall, draw: Draw) => Fate | null
  /** Some requests of this node kill their process. */
  readonly killsRequestsOf?: number
  /** The egress of this node is blocked, or of all nodes. */
  readonly closes?: { readonly node: number | 'all'; readonly wayOut: WayOut }
}

/** The effects of one fault. */
export interface DrawnFault {
  readonly incidents?: readonly Incident[]
  readonly spell?: Spell
  /** How long it lasts; delays may last longer. */
  readonly lasts: Disturbance
  /** By how much it may lengthen a time of failing as recorded. */
  readonly clockErrorMs?: number
}

/** When a fault starts, and its other parameters. */
export interface FaultParams {
  readonly at: number
  readonly node: number
  /** How many there are. */
  readonly nodes: number
  readonly draw: Draw
}

export const FAULT_KINDS = {
  kill: ({ at, node }) =>
    incident(at, `kills node ${node + 1}`, (process, { cluster }) => cluster.kill(process), node),
  restart: ({ at, node }) =>
    incident(at, `restarts node ${node + 1}`, (process, { cluster }) => void cluster.restart(process), node),
  stall: (params) => stall(params, false),
  suspend: (params) => stall(params, true),
  outage: ({ at, draw }) => spell(at, draw(2, 45, 1) * SECOND_MS, (_, d) => failing(d(3, 6_000, 2))),
  'cut off': ({ at, node, draw }) =>
    spell(at, draw(5, 70, 1) * SECOND_MS, (call, d) => (call.node === node ? failing(d(3, 6_000, 2)) : null)),
  slow: ({ at, draw }) => spell(at, draw(10, 40, 1) * SECOND_MS, slowFate),
  flaky: ({ at, draw }) => spell(at, draw(10, 60, 1) * SECOND_MS, flakyFate),
  'killing calls': ({ at, node, draw }) =>
    spell(at, draw(10, 40, 1) * SECOND_MS, (call, d) => {
      if (call.node !== node || d(1, 40, 3) > 1) return null
      return killing(d(0, 1, 4) === 0 ? 'before' : 'after')
    }),
  'killing requests': ({ at, node, draw }) => {
    const to = at + draw(10, 40, 1) * SECOND_MS
    return { spell: { from: at, to, killsRequestsOf: node }, lasts: [at, to] }
  },
  'all clocks': ({ at, nodes, draw }) => {
    const byMs = leap(draw)
    const set = (by: number) => (scene: Scene) => {
      scene.setStoreClock(by)
      scene.cluster.setClocks([...Array(nodes).keys()], by)
    }
    return clocks(at, draw, byMs, 'all clocks', set)
  },
  'one clock': ({ at, node, draw }) => {
    const byMs = leap(draw)
    const set = (by: number) => (scene: Scene) => scene.cluster.setClocks([node], by)
    return clocks(at, draw, byMs, `the clock of node ${node + 1}`, set)
  },
  'egress-down': (params) => closed(params, 'egress-down'),
  'proxy-dead': (params) => closed(params, 'proxy-dead'),
  'proxy-407': (params) => closed(params, 'proxy-407'),
  'resolver-dead': (params) => closed(params, 'resolver-dead'),
  'out-of-sockets': (params) => closed(params, 'out-of-sockets'),
} satisfies Record<string, (params: FaultParams) => DrawnFault>

export type FaultKind = keyof typeof FAULT_KINDS

function incident(
  at: number,
  text: string,
  happen: (process: Process, scene: Scene) => void,
  node: number,
): DrawnFault {
  const toOne = (scene: Scene) => {
    const process = scene.cluster.on(node)
    if (process !== undefined) happen(process, scene)
  }
  return { incidents: [{ at, text, happen: toOne }], lasts: [at, at] }
}

/** For moments, or for longer than a lease. */
function stall({ at, node, draw }: FaultParams, suspended: boolean): DrawnFault {
  const lastsMs = draw(0, 1, 1) === 0 ? draw(500, 5_000, 2) : draw(35_000, 75_000, 2)
  const stalled: { process?: Process } = {}
  const begin: Incident = {
    at,
    text: `${suspended ? 'suspends the machine of' : 'stalls'} node ${node + 1} for ${lastsMs} ms`,
    happen({ cluster }) {
      const process = cluster.on(node)
      if (process === undefined || process.stalled) return
      process.stall(suspended)
      stalled.process = process
    },
  }
  const end: Incident = {
    at: at + lastsMs,
    text: `node ${node + 1} goes on`,
    happen: () => stalled.process?.goOn(),
  }
  return { incidents: [begin, end], lasts: [at, at + lastsMs], clockErrorMs: suspended ? lastsMs : 0 }
}

/** Nodes must have reached some receivers before they can tell that none can be reached. */
const RECEIVERS_KNOWN_AT = MINUTE_MS

/** The egress of one node, or of all. */
function closed({ at: drawnAt, node, draw }: FaultParams, fault: WayOutFault): DrawnFault {
  const at = Math.max(drawnAt, RECEIVERS_KNOWN_AT)
  const to = at + draw(2, 70, 1) * SECOND_MS
  const whose = draw(0, 1, 2) === 0 ? node : 'all'
  const text = `${fault} ${whose === 'all' ? 'on all nodes' : `on node ${node + 1}`}`
  const incidents = [
    { at, text, happen() {} },
    { at: to, text: `no ${text} any more`, happen() {} },
  ]
  return {
    incidents,
    spell: { from: at, to, closes: { node: whose, wayOut: WAYS_OUT[fault] } },
    lasts: [at, to],
  }
}

function spell(at: number, lastsMs: number, fateOf: NonNullable<Spell['fateOf']>): DrawnFault {
  return { spell: { from: at, to: at + lastsMs, fateOf }, lasts: [at, at + lastsMs] }
}

/** Half of all calls take up to seconds, some longer than a lease. */
function slowFate(_: StoreCall, draw: Draw): Fate | null {
  const share = draw(1, 100, 3)
  if (share > 50) return null
  const effectMs = draw(3, 2_000, 4)
  return answeringLate(effectMs, effectMs + (share > 4 ? draw(0, 2_000, 5) : draw(5_000, 45_000, 5)))
}

function flakyFate({ call }: StoreCall, draw: Draw): Fate | null {
  const share = draw(1, 100, 3)
  if (share <= 15) return failing(draw(3, 1_000, 4))
  if (share <= 30) return losingAnswer(NORMAL.effectMs!, draw(3, 6_000, 4))
  if (share <= 38) return losingAnswer(draw(1_000, 5_000, 4), draw(3, 999, 5))
  return call === 'recordAttempts' && share <= 48 ? REPEATED : null
}

/** However often clocks are set back at once, they are never back by as much as the retention. */
const MOST_BACK_MS = 9 * DAY_MS

/**
 * A step that clocks follow, one that counts as a leap, or days; ahead or back. Back by more than the
 * retention is left out: events published then count as that old once the clock is right, and are correctly
 * deleted.
 */
function leap(draw: Draw): number {
  const ahead = draw(0, 1, 13) === 0
  const sizes = [
    draw(5, 25, 11) * SECOND_MS,
    draw(60, 480, 11) * SECOND_MS,
    draw(26, 9 * 24, 11) * HOUR_MS,
    ahead ? 40 * DAY_MS : MOST_BACK_MS,
  ]
  return sizes[draw(0, sizes.length - 1, 12)]! * (ahead ? 1 : -1)
}

/** Sets clocks, and corrects them before they are trusted. */
function clocks(
  at: number,
  draw: Draw,
  byMs: number,
  whose: string,
  set: (byMs: number) => (scene: Scene) => void,
): DrawnFault {
  const lastsMs = draw(10, 60, 1) * SECOND_MS
  const incidents = [
    { at, text: `${whose} leap by ${byMs} ms`, happen: set(byMs) },
    { at: at + lastsMs, text: `${whose} are set right`, happen: set(-byMs) },
  ]
  const followed = Math.abs(byMs) <= MINUTE_MS / 2
  return { incidents, lasts: [at, at + lastsMs], clockErrorMs: followed ? Math.abs(byMs) : 0 }
}
