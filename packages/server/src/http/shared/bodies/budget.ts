import { Problem } from '../problems.ts'
import { LARGE_BYTES, LARGE_PART } from './limits.ts'
import type { HostileRequests } from './requestBounds.ts'

/** Why a part of a request was rejected. */
type RefusedBody = 'share' | 'node' | 'slow' | 'complex'

/** Rejections before any work is done, for metrics. */
export interface IntakeObserver {
  bodyRefused(reason: RefusedBody): void
  connectionRefused(reason: 'node' | 'address' | HostileRequests): void
}

/** The owners of a body's share of memory: the caller, and the group of similar callers. Shares are of the bytes of a node. */
export interface BodyOwner {
  readonly name: string
  readonly part: number
  readonly group: string
  readonly groupPart: number
  /** Names the owner of an exhausted share, as in `This API key`. */
  readonly who: string
  readonly groupWho: string
}

const MIB = 1024 * 1024
const RETRY = { headers: { 'retry-after': '1' } }

/**
 * Bytes of request bodies that a node has in memory. A body counts from before its first byte is read until the request is
 * answered, since its events take memory until they are stored.
 */
export class BodyBudget {
  #maxBytes: number
  readonly #observer: IntakeObserver
  readonly #reservedBy = new Map<string, number>()
  #inUse = 0
  #inUseByLarge = 0

  constructor(maxBytes: number, observer: IntakeObserver) {
    this.#maxBytes = maxBytes
    this.#observer = observer
  }

  /** Bodies in progress continue. */
  setMax(maxBytes: number): void {
    this.#maxBytes = maxBytes
  }

  /** Bytes counted now. */
  get inUse(): number {
    return this.#inUse
  }

  /** Names and groups of owners with bytes counted now. */
  get owners(): number {
    return this.#reservedBy.size
  }

  /** An account of one request with nothing counted yet. */
  open(owner: BodyOwner): BodyReservation {
    return new BodyReservation(this, owner)
  }

  /** Use {@link BodyReservation.raiseTo}. @returns why the bytes cannot be counted; `null`: they are */
  add(owner: BodyOwner, from: number, to: number): Problem | null {
    const added = to - from
    const large = to > LARGE_BYTES ? (from > LARGE_BYTES ? added : to) : 0
    const problem = this.#refusal(owner, added, large)
    if (problem !== null) return problem
    this.#inUse += added
    this.#inUseByLarge += large
    this.#count(owner.name, added)
    this.#count(owner.group, added)
    return null
  }

  /** Use {@link BodyReservation.release}. */
  remove(owner: BodyOwner, bytes: number): void {
    this.#inUse -= bytes
    if (bytes > LARGE_BYTES) this.#inUseByLarge -= bytes
    this.#count(owner.name, -bytes)
    this.#count(owner.group, -bytes)
  }

  /** A rejection for a reason other than memory, counted as such. */
  refuse(reason: 'slow' | 'complex', problem: Problem): Problem {
    this.#observer.bodyRefused(reason)
    return problem
  }

  #refusal(owner: BodyOwner, bytes: number, large: number): Problem | null {
    const used = this.#over(owner.name, owner.part, bytes)
      ? { who: owner.who, part: owner.part }
      : this.#over(owner.group, owner.groupPart, bytes)
        ? { who: owner.groupWho, part: owner.groupPart }
        : null
    if (used !== null) {
      this.#observer.bodyRefused('share')
      const share = Math.floor((this.#maxBytes * used.part) / MIB)
      const detail = `${used.who} can have at most ${share} MiB of request bodies in progress on a node. Wait for responses before you send more, or ask the operator to raise POSTHORN_MAX_BODY_BYTES.`
      return new Problem('too_many_uploads', detail, RETRY)
    }
    const isFull =
      this.#inUse + bytes > this.#maxBytes || this.#inUseByLarge + large > this.#maxBytes * LARGE_PART
    if (!isFull || bytes === 0) return null
    this.#observer.bodyRefused('node')
    const detail = 'This node has reached its limit of request bodies in progress. Retry shortly.'
    return new Problem('uploads_full', detail, RETRY)
  }

  #over(name: string, part: number, bytes: number): boolean {
    return (this.#reservedBy.get(name) ?? 0) + bytes > this.#maxBytes * part
  }

  #count(name: string, bytes: number): void {
    const left = (this.#reservedBy.get(name) ?? 0) + bytes
    if (left === 0) this.#reservedBy.delete(name)
    else this.#reservedBy.set(name, left)
  }
}

/** What is reserved of a {@link BodyBudget} for one request. */
export class BodyReservation {
  readonly #budget: BodyBudget
  readonly #owner: BodyOwner
  #bytes = 0

  constructor(budget: BodyBudget, owner: BodyOwner) {
    this.#budget = budget
    this.#owner = owner
  }

  /** Whose turn it is when the request needs time of the event loop. */
  get group(): string {
    return this.#owner.group
  }

  /** @returns why so many bytes cannot be reserved; `null`: they are */
  raiseTo(bytes: number): Problem | null {
    if (bytes <= this.#bytes) return null
    const problem = this.#budget.add(this.#owner, this.#bytes, bytes)
    if (problem === null) this.#bytes = bytes
    return problem
  }

  refuse(reason: 'slow' | 'complex', problem: Problem): Problem {
    return this.#budget.refuse(reason, problem)
  }

  /** Calling it again does nothing. */
  release(): void {
    if (this.#bytes > 0) this.#budget.remove(this.#owner, this.#bytes)
    this.#bytes = 0
  }
}
