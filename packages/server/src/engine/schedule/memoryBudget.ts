import type { WebhookRef } from '../../storage/rows.ts'
import type { SendQueue } from './sendQueue.ts'
import { type Proof, proofOf } from './standings.ts'

/** Weight of what may wait in memory: as many deliveries with bodies of ordinary size. 20,000 are 65 million characters. */
const MAX_WAITING = 20_000
/** Of these, for webhooks that are not known to be prompt. */
const MAX_UNPROVEN = MAX_WAITING / 2
/** With the first delivery to each webhook not tried yet, which may come on top. */
const MAX_UNPROVEN_WITH_FIRSTS = (MAX_WAITING * 3) / 4
/** Claims leave this much free, for what is published; so does what comes on top. */
const KEPT_FROM_CLAIMS = MAX_WAITING / 5
/** Where publishes leave less than that, claims may take this part of it: retries must not wait until publishers rest. */
const CLAIMS_PART = 1 / 2
/** Of what others leave, one workspace may take this part by publishing. */
const WORKSPACE_PART = 4 / 5
/** Likewise by what waits for webhooks that are not known to be prompt; first deliveries may come on top, up to the part above. */
const UNPROVEN_WORKSPACE_PART = 3 / 5
/** A webhook may take this part of what is still free, */
const PROMPT_PART = 1 / 8
/** or, if it is not known to be prompt, this part of what is still free for those. */
const UNPROVEN_PART = 1 / 20

/**
 * How much more the node may take into memory. What does not fit stays in the store, due now. No webhook may have more
 * waiting than a part of what is free, so that something always is: the more webhooks have a backlog, the less each gets.
 * Nor may any workspace take all of it: publishes, claims and webhooks that are not prompt each leave a part to others.
 */
export class MemoryBudget {
  readonly #queue: SendQueue
  #promised = 0
  readonly #promisedTo = new Map<number, number>()

  constructor(queue: SendQueue) {
    this.#queue = queue
  }

  /** Deliveries there is room for now. */
  get room(): number {
    return Math.max(0, MAX_WAITING - this.#queue.weight - this.#promised)
  }

  /** Of these, for what a workspace publishes. */
  roomOf(workspaceId: number): number {
    const own = this.#queue.weightOfWorkspace(workspaceId, 'any') + this.#promisedToNow(workspaceId)
    const leftByOthers = this.room + own
    return Math.max(0, Math.min(this.room, Math.floor(leftByOthers * WORKSPACE_PART) - own))
  }

  /** Of these, for what is claimed. */
  get claimRoom(): number {
    return Math.max(this.room - KEPT_FROM_CLAIMS, Math.floor(this.room * CLAIMS_PART))
  }

  /** Of all that may wait, for webhooks that are not known to be prompt. */
  get unprovenRoom(): number {
    const { weight, unprovenWeight } = this.#queue
    return Math.max(0, Math.min(MAX_WAITING - weight, MAX_UNPROVEN - unprovenWeight))
  }

  /** Deliveries that may now wait for one webhook that is not known to be prompt: one at least, while there is room. */
  get unprovenLimit(): number {
    return Math.ceil(this.unprovenRoom * UNPROVEN_PART)
  }

  /** Weight that may now wait for one prompt webhook. */
  get promptLimit(): number {
    return (MAX_WAITING - this.#queue.weight) * PROMPT_PART
  }

  /** Sets room aside for a call whose answer is still out. */
  promise(workspaceId: number, count: number): void {
    this.#promised += count
    this.#promisedTo.set(workspaceId, this.#promisedToNow(workspaceId) + count)
  }

  keepPromise(workspaceId: number, count: number): void {
    this.#promised -= count
    // No entry is left if this call was promised 0 and the workspace's other calls have been answered.
    const left = this.#promisedToNow(workspaceId) - count
    if (left === 0) this.#promisedTo.delete(workspaceId)
    else this.#promisedTo.set(workspaceId, left)
  }

  proofOf(webhookId: number): Proof {
    return proofOf(this.#queue.standingOf(webhookId))
  }

  isPrompt(webhookId: number): boolean {
    return this.proofOf(webhookId) === 'prompt'
  }

  /** How much a workspace has of what the others leave to claims. @returns 0 to 1 */
  partOf(workspaceId: number, proof: Proof): number {
    const own = this.#queue.weightOfWorkspace(workspaceId, proof)
    if (own === 0) return 0
    return own / (own + this.#claimRoomOf(proof))
  }

  /** Workspaces that have at least this part of what the others leave to claims. */
  withPart(part: number, proof: Proof): number[] {
    return this.#queue.workspacesWithAtLeast((this.#claimRoomOf(proof) * part) / (1 - part), proof)
  }

  /** Whether one more delivery of this webhook may wait that was published just now. */
  admits({ webhookId, workspaceId }: WebhookRef): boolean {
    const standing = this.#queue.standingOf(webhookId)
    const weight = this.#queue.weightOf(webhookId)
    if (standing === 'prompt') return weight < this.promptLimit
    const own = this.#queue.weightOfWorkspace(workspaceId, 'unproven')
    const ownMost = (own + this.unprovenRoom) * UNPROVEN_WORKSPACE_PART
    if (weight < this.unprovenLimit && own < ownMost) return true
    return standing === 'untried' && weight === 0 && this.#hasRoomForFirst(own)
  }

  /** Likewise one that was claimed: for prompt webhooks no more is claimed than there is room for. */
  admitsClaimed(webhook: WebhookRef): boolean {
    return this.isPrompt(webhook.webhookId) || this.admits(webhook)
  }

  /** Webhooks that have enough waiting not to be claimed for: prompt ones what they may have, others so much. */
  fullWebhooks(unproven: number): number[] {
    return this.#queue.withAtLeast(this.promptLimit, unproven)
  }

  /** Whether the first delivery to a webhook not tried yet fits in, whatever others have waiting. @param own of its workspace */
  #hasRoomForFirst(own: number): boolean {
    const { weight, unprovenWeight } = this.#queue
    const room = MAX_UNPROVEN_WITH_FIRSTS - unprovenWeight
    if (room <= 0 || weight >= MAX_WAITING - KEPT_FROM_CLAIMS) return false
    return own < Math.min(MAX_UNPROVEN, own + room) * WORKSPACE_PART
  }

  #claimRoomOf(proof: Proof): number {
    return proof === 'prompt' ? this.claimRoom : this.unprovenRoom
  }

  #promisedToNow(workspaceId: number): number {
    return this.#promisedTo.get(workspaceId) ?? 0
  }
}
