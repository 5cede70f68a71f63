/**
 * How much may wait in memory: pure functions of what waits there. What does not fit stays in the store, due now.
 * A lane may take only a part of what is free, so that something always stays free: the more lanes have a backlog, the less
 * each gets. No workspace may take all of the memory, and publishes, claims and unproven receivers each leave a part to others.
 *
 * All amounts are weights: 1 for a delivery, more for one with a long body.
 */

/** What the latest attempts say of a receiver. `unknown`: there was none on this node; `slow`: it failed one or was slow to answer. */
export type ReceiverSpeed = 'unknown' | 'fast' | 'slow'

/** Unproven receivers share limited parts of the slots and of the memory, since any of them could hang and block these. */
export type Trust = 'fast' | 'unproven'

export const trustOf = (speed: ReceiverSpeed): Trust => (speed === 'fast' ? 'fast' : 'unproven')

/** What is in memory, of the node or of one workspace. */
export interface Memory {
  fast: number
  unproven: number
  /** Set aside for publishes that the store has not answered yet. */
  promised: number
}

/** How much may wait in all: at most 65 million characters of bodies. */
const MAX_WAITING = 20_000
/** The part of the memory that unproven lanes may take. */
const MAX_UNPROVEN = MAX_WAITING / 2
/** The part that unproven lanes may take if the first delivery of each unknown lane is counted, which may exceed the limit above. */
const MAX_UNPROVEN_WITH_FIRSTS = (MAX_WAITING * 3) / 4
/** Claims, and first deliveries of unknown lanes, leave this much free for publishes. */
const KEPT_FROM_CLAIMS = MAX_WAITING / 5
/** Claims may always take this part of what is free: otherwise retries would wait for as long as publishes fill the memory. */
const CLAIMS_PART = 1 / 2
/** By publishing, one workspace may take this part of what others leave. */
const WORKSPACE_PART = 4 / 5
/** The same for its unproven lanes. First deliveries of unknown lanes may exceed it, up to `WORKSPACE_PART`. */
const UNPROVEN_WORKSPACE_PART = 3 / 5
/** A fast lane may take this part of what is free. */
const FAST_PART = 1 / 8
/** An unproven lane may take this part of what is free for unproven lanes. */
const UNPROVEN_PART = 1 / 20

const CLAIM_AT_ONCE = 500
/** Claimed for each lane at once. Fewer would make attempts wait for the store. */
export const CLAIM_PER_LANE = 64
/**
 * Claimed at once for a fast lane with a backlog, if its limit allows. More would delay what others publish meanwhile: the
 * embedded store takes some 10 µs for each.
 */
const MOST_PER_LANE = 128
/** Claimed for each lane in a node's first round, so that it soon has something of every lane. */
const FEW_PER_LANE = 4
/** There is plenty of room while an unproven lane may have this much waiting: more than claims take for it. */
const PLENTY = 2 * CLAIM_PER_LANE
/** When room is scarce, a claim takes this part of an unproven lane's limit: the limit falls as others are claimed for. */
const PART_OF_LIMIT = 1 / 4

/** A workspace is full when it has this part of what the others leave to claims. */
const FULL_AT = 3 / 5
/** It stays full until it is down to this part, so that its next claims are large: each claim looks at all of its lanes. */
const FULL_UNTIL = 3 / 10

/** What is free. */
export function room(node: Memory): number {
  return Math.max(0, MAX_WAITING - weightIn(node) - node.promised)
}

/** What a workspace may take of the free memory by publishing. */
export function publishRoom(node: Memory, workspace: Memory): number {
  const own = weightIn(workspace) + workspace.promised
  const left = room(node)
  return Math.max(0, Math.min(left, Math.floor((left + own) * WORKSPACE_PART) - own))
}

/** What claims for lanes of this trust may take of the free memory. */
export function claimRoom(node: Memory, trust: Trust): number {
  if (trust === 'unproven') return unprovenRoom(node)
  const left = room(node)
  return Math.max(left - KEPT_FROM_CLAIMS, Math.floor(left * CLAIMS_PART))
}

/** What may wait in one lane now; at least 1 in an unproven one, while there is room. */
export function laneLimit(node: Memory, trust: Trust): number {
  return trust === 'fast'
    ? (MAX_WAITING - weightIn(node)) * FAST_PART
    : Math.ceil(unprovenRoom(node) * UNPROVEN_PART)
}

/** What this lane may take now. */
export function laneRoom(
  lane: { readonly speed: ReceiverSpeed; readonly weight: number },
  workspace: Memory,
  node: Memory,
): number {
  if (lane.speed === 'fast') return Math.max(0, Math.ceil(laneLimit(node, 'fast') - lane.weight))
  const free = unprovenRoom(node)
  const ofWorkspace = (workspace.unproven + free) * UNPROVEN_WORKSPACE_PART - workspace.unproven
  const own = Math.ceil(Math.min(laneLimit(node, 'unproven') - lane.weight, ofWorkspace))
  if (own > 0) return own
  const isFirst = lane.speed === 'unknown' && lane.weight === 0
  return isFirst && hasRoomForFirst(workspace, node) ? 1 : 0
}

/** Whether the first delivery of an unknown lane fits in, whatever others have waiting. */
function hasRoomForFirst(workspace: Memory, node: Memory): boolean {
  const left = MAX_UNPROVEN_WITH_FIRSTS - node.unproven
  if (left <= 0 || weightIn(node) >= MAX_WAITING - KEPT_FROM_CLAIMS) return false
  return workspace.unproven < Math.min(MAX_UNPROVEN, workspace.unproven + left) * WORKSPACE_PART
}

/** Whether nothing more is claimed for a workspace. @param wasFull whether it was when last looked at */
export function isFull(workspace: Memory, node: Memory, trust: Trust, wasFull: boolean): boolean {
  const own = workspace[trust]
  if (own === 0) return false
  const part = own / (own + claimRoom(node, trust))
  return wasFull ? part > FULL_UNTIL : part >= FULL_AT
}

/** Whether there is room for a claim of full size. */
export function hasRoomForClaim(node: Memory): boolean {
  return claimRoom(node, 'fast') >= CLAIM_AT_ONCE
}

/** Whether there is so much room that unproven lanes are claimed for whenever they run low, as fast ones are. */
export function hasPlentyForUnproven(node: Memory): boolean {
  return laneLimit(node, 'unproven') >= PLENTY
}

/** In deliveries. */
export interface ClaimSize {
  /** 0: there is no room. */
  readonly limit: number
  readonly perWebhook: number
}

/**
 * How much one call may claim, so that it finds room in memory.
 * @param round `first`: a node's first round, over all lanes. Afterwards, `fast` goes over fast lanes and lanes without a
 * backlog, `unproven` over unproven lanes with a backlog
 * @param usualWeight of a delivery, in recent claims
 * @param withBacklog whether any fast lane has one
 */
export function claimSize(
  round: 'first' | Trust,
  node: Memory,
  usualWeight: number,
  withBacklog: boolean,
): ClaimSize {
  const fitting = (weight: number) => (weight <= 0 ? 0 : Math.max(1, Math.floor(weight / usualWeight)))
  const limit = (weight: number) => Math.min(CLAIM_AT_ONCE, fitting(weight))
  const unprovenShare = (most: number) =>
    Math.min(most, Math.max(1, fitting(laneLimit(node, 'unproven') * PART_OF_LIMIT)))
  if (round === 'first')
    return { limit: limit(claimRoom(node, 'fast')), perWebhook: unprovenShare(FEW_PER_LANE) }
  if (round === 'fast') {
    const most = withBacklog ? Math.min(MOST_PER_LANE, fitting(laneLimit(node, 'fast'))) : CLAIM_PER_LANE
    return { limit: limit(claimRoom(node, 'fast')), perWebhook: Math.max(CLAIM_PER_LANE, most) }
  }
  const perWebhook = unprovenShare(CLAIM_PER_LANE)
  const free = unprovenRoom(node)
  // When each lane gets only one, the claim takes all that is free: halves of it would make many small calls.
  return { limit: limit(perWebhook === 1 ? free : free / 2), perWebhook }
}

const weightIn = ({ fast, unproven }: Memory): number => fast + unproven

function unprovenRoom(node: Memory): number {
  return Math.max(0, Math.min(MAX_WAITING - weightIn(node), MAX_UNPROVEN - node.unproven))
}
