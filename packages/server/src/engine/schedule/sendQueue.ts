import type { Clock } from '../../core/clock.ts'
import type { LeasedDelivery, WebhookRef } from '../../storage/rows.ts'
import { Lane } from './lane.ts'
import { Line, weightOf } from './line.ts'
import { BEHIND_AFTER_MS, Pace } from './pace.ts'
import { type Proof, proofOf, type Standing, Standings } from './standings.ts'

export interface SendQueueLimits {
  /** Attempts in flight over all webhooks. */
  readonly maxInFlight: number
  readonly maxInFlightPerWebhook: number
}

/** Of the places in flight, what webhooks may take together that are not known to be prompt, */
const UNPROVEN_PART = 5 / 8
/** of which the last ones are for those not tried yet: slow ones get none once so many are taken. */
const SLOW_PART = 1 / 2

/**
 * Deliveries that wait in memory, and whose turn it is. Workspaces take turns, and within one its webhooks, so that one
 * with a long line delays no other. Those that are not known to be prompt share a part of the places in flight: however many receivers hang, those
 * that have proven prompt keep the rest. Webhooks not tried yet go before slow ones, with one attempt each until its
 * answer, and find places that slow ones cannot take. What falls behind at the slow ones is made up for at a pace.
 */
export class SendQueue {
  readonly #limits: SendQueueLimits
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #hasBacklog: (webhookId: number) => boolean
  readonly #unprovenPlaces: number
  readonly #slowPlaces: number
  readonly #lines = new Map<number, Line>()
  readonly #lanes: Readonly<Record<Standing, Lane>> = {
    prompt: new Lane(),
    untried: new Lane(),
    slow: new Lane(),
  }
  readonly #weights: Readonly<Record<Proof, WorkspaceWeights>> = {
    prompt: new WorkspaceWeights(),
    unproven: new WorkspaceWeights(),
  }
  readonly #standings = new Standings()
  readonly #pace: Pace
  #unprovensTurn = false
  #size = 0
  #inFlight = 0
  #unprovenInFlight = 0

  constructor(params: {
    readonly limits: SendQueueLimits
    /** How long an attempt takes at most, ms. */
    readonly hangMs: number
    readonly clock: Pick<Clock, 'monotonic'>
    /** Whether the store holds more that is due for a webhook. */
    readonly hasBacklog: (webhookId: number) => boolean
  }) {
    this.#limits = params.limits
    this.#clock = params.clock
    this.#hasBacklog = params.hasBacklog
    const partOfPlaces = (part: number) => Math.max(1, Math.floor(params.limits.maxInFlight * part))
    this.#unprovenPlaces = partOfPlaces(UNPROVEN_PART)
    this.#slowPlaces = partOfPlaces(SLOW_PART)
    this.#pace = new Pace(params.clock, this.#slowPlaces, params.hangMs)
  }

  /** Deliveries that wait. */
  get size(): number {
    return this.#size
  }

  /** Of all that waits: 1 for a delivery, and more for one with a long body, also where several share it. */
  get weight(): number {
    return this.#weights.prompt.inAll + this.#weights.unproven.inAll
  }

  /** Of what waits for webhooks that are not known to be prompt. */
  get unprovenWeight(): number {
    return this.#weights.unproven.inAll
  }

  get inFlight(): number {
    return this.#inFlight
  }

  standingOf(webhookId: number): Standing {
    return this.#lines.get(webhookId)?.standing ?? this.#standings.of(webhookId)
  }

  waitingOf(webhookId: number): number {
    return this.#lines.get(webhookId)?.size ?? 0
  }

  weightOf(webhookId: number): number {
    return this.#lines.get(webhookId)?.weight ?? 0
  }

  /** Of all that waits for the webhooks of a workspace, or for those that are known to be prompt or not. */
  weightOfWorkspace(workspaceId: number, proof: Proof | 'any'): number {
    const { prompt, unproven } = this.#weights
    if (proof === 'any') return prompt.of(workspaceId) + unproven.of(workspaceId)
    return this.#weights[proof].of(workspaceId)
  }

  /** Workspaces for whose webhooks, those known to be prompt or the others, so much waits. */
  workspacesWithAtLeast(weight: number, proof: Proof): number[] {
    return this.#weights[proof].withAtLeast(weight)
  }

  /** Webhooks for which so much waits: one weight for the prompt ones, another one for the others. */
  withAtLeast(promptWeight: number, unprovenWeight: number): number[] {
    const ids: number[] = []
    for (const { webhookId, weight, standing } of this.#lines.values()) {
      if (weight >= (standing === 'prompt' ? promptWeight : unprovenWeight)) ids.push(webhookId)
    }
    return ids
  }

  add(delivery: LeasedDelivery): void {
    const line = this.#lines.get(delivery.webhookId) ?? this.#newLine(delivery)
    line.push(delivery)
    this.#countWaiting(line, 1, weightOf(delivery))
    this.#list(line)
  }

  /** Takes the next delivery whose turn it is and counts it as in flight; `null` when none may go now. */
  next(): LeasedDelivery | null {
    if (this.#inFlight >= this.#limits.maxInFlight) return null
    this.#unprovensTurn = !this.#unprovensTurn
    const line = this.#unprovensTurn
      ? (this.#takeUnproven() ?? this.#take('prompt'))
      : (this.#take('prompt') ?? this.#takeUnproven())
    if (line === null) return null
    const delivery = line.shift()
    // Retries that are on time go before those behind, and leave less for them.
    if (line.standing === 'slow' || delivery.attempts > delivery.runStart) this.#pace.went()
    this.#countWaiting(line, -1, -weightOf(delivery))
    this.#countInFlight(line, 1)
    this.#list(line)
    return delivery
  }

  /** @returns milliseconds after which there may be a next one though nothing else has changed; `null`: none */
  nextInMs(): number | null {
    if (this.#unprovenInFlight >= this.#slowPlaces || this.#lanes.slow.empty) return null
    return Math.ceil(this.#pace.holdUpMs()) || null
  }

  /** An attempt ended. @param prompt whether it succeeded without delay */
  finished(webhookId: number, prompt: boolean): void {
    const line = this.#lines.get(webhookId)
    if (line === undefined) return
    this.#countInFlight(line, -1)
    if (prompt && line.standing === 'slow') this.#pace.answered()
    if (!prompt) this.#setStanding(line, 'slow')
    else if (!this.#isMakingUp(line)) this.#setStanding(line, 'prompt')
    this.#list(line)
    this.#forgetIfIdle(line)
  }

  /** A delivery that was taken was not attempted: it is the next of its webhook again, and its webhook the next in turn. */
  putBack(delivery: LeasedDelivery): void {
    const line = this.#lines.get(delivery.webhookId)
    if (line === undefined) return
    line.unshift(delivery)
    this.#countWaiting(line, 1, weightOf(delivery))
    this.#countInFlight(line, -1)
    this.#unlist(line)
    this.#list(line, 'first')
  }

  /** An attempt of this webhook has been kept waiting. */
  markSlow(webhookId: number): void {
    const line = this.#lines.get(webhookId)
    if (line !== undefined) this.#setStanding(line, 'slow')
  }

  /** Takes out everything that waits for a webhook. */
  drop(webhookId: number): LeasedDelivery[] {
    const line = this.#lines.get(webhookId)
    if (line === undefined) return []
    const { weight } = line
    const dropped = line.empty()
    this.#countWaiting(line, -dropped.length, -weight)
    this.#forgetIfIdle(line)
    return dropped
  }

  /** Takes out everything that waits. */
  dropAll(): LeasedDelivery[] {
    return [...this.#lines.keys()].flatMap((webhookId) => this.drop(webhookId))
  }

  #newLine(webhook: WebhookRef): Line {
    const line = new Line(webhook, this.#standings.of(webhook.webhookId))
    this.#lines.set(webhook.webhookId, line)
    return line
  }

  #takeUnproven(): Line | null {
    const untried = this.#unprovenInFlight < this.#unprovenPlaces ? this.#take('untried') : null
    return untried ?? this.#takeSlow()
  }

  #takeSlow(): Line | null {
    if (this.#unprovenInFlight >= this.#slowPlaces) {
      if (!this.#lanes.slow.empty) this.#pace.waits()
      return null
    }
    if (!this.#lanes.slow.empty && this.#pace.holdUpMs() > 0) return null
    const line = this.#take('slow')
    if (line === null) this.#pace.caughtUp()
    return line
  }

  #take(standing: Standing): Line | null {
    const lane = this.#lanes[standing]
    for (let line = lane.shift(); line !== undefined; line = lane.shift()) {
      line.listed = false
      // Lines are not searched for when they empty; they are passed over here.
      if (line.size > 0) return line
    }
    return null
  }

  #list(line: Line, place: 'first' | 'last' = 'last'): void {
    if (line.listed || line.size === 0 || line.inFlight >= this.#placesOf(line)) return
    line.listed = true
    if (place === 'last') this.#lanes[line.standing].push(line)
    else this.#lanes[line.standing].unshift(line)
  }

  /** To find out about a webhook takes one attempt: more would let a few that hang keep all others from being tried. */
  #placesOf({ standing }: Line): number {
    return standing === 'untried' ? 1 : this.#limits.maxInFlightPerWebhook
  }

  #unlist(line: Line): void {
    if (!line.listed) return
    this.#lanes[line.standing].remove(line)
    line.listed = false
  }

  #setStanding(line: Line, standing: 'prompt' | 'slow'): void {
    if (line.standing === standing) return
    if (standing === 'prompt') this.#standings.setPrompt(line.webhookId)
    else this.#standings.setSlow(line.webhookId, this.#clock.monotonic())
    this.#unlist(line)
    this.#countLine(line, -1)
    line.standing = standing
    this.#countLine(line, 1)
    this.#list(line)
  }

  /** Whether a webhook was slow for long and has not caught up: would it count as prompt, all of that would go at once. */
  #isMakingUp(line: Line): boolean {
    if (line.standing !== 'slow' || !this.#pace.behind) return false
    const slowSince = this.#standings.slowSince(line.webhookId)
    if (slowSince === null || this.#clock.monotonic() - slowSince < BEHIND_AFTER_MS) return false
    return line.size > 0 || this.#hasBacklog(line.webhookId)
  }

  #countWaiting(line: Line, count: number, weight: number): void {
    this.#size += count
    this.#weights[proofOf(line.standing)].add(line.workspaceId, weight)
  }

  #countInFlight(line: Line, change: 1 | -1): void {
    line.inFlight += change
    this.#inFlight += change
    if (line.standing !== 'prompt') this.#unprovenInFlight += change
  }

  /** Counts all of a line in or out, where its standing matters. */
  #countLine({ workspaceId, standing, weight, inFlight }: Line, sign: 1 | -1): void {
    this.#weights[proofOf(standing)].add(workspaceId, sign * weight)
    if (standing !== 'prompt') this.#unprovenInFlight += sign * inFlight
  }

  #forgetIfIdle(line: Line): void {
    if (line.inFlight === 0 && line.size === 0) this.#lines.delete(line.webhookId)
  }
}

/** What waits, by workspace; those for which nothing does are not kept. */
class WorkspaceWeights {
  readonly #weights = new Map<number, number>()
  #inAll = 0

  get inAll(): number {
    return this.#inAll
  }

  withAtLeast(least: number): number[] {
    const ids: number[] = []
    for (const [id, weight] of this.#weights) if (weight >= least) ids.push(id)
    return ids
  }

  of(workspaceId: number): number {
    return this.#weights.get(workspaceId) ?? 0
  }

  add(workspaceId: number, weight: number): void {
    this.#inAll += weight
    const sum = this.of(workspaceId) + weight
    if (sum === 0) this.#weights.delete(workspaceId)
    else this.#weights.set(workspaceId, sum)
  }
}
