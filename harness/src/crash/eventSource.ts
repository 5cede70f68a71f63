import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../support/http.ts'
import type { NewEvent, WorkspaceClient } from '../support/workspaces.ts'
import { wholeNumber } from './random.ts'

export interface EventKind {
  readonly common: string
  /** One event in six; for hooks that are slow. */
  readonly rare: string
  readonly make: (type: string) => Omit<NewEvent, 'id'>
  /** Makes an id for the service to take; then a batch is sent again until it is acknowledged. */
  readonly bringId: (() => string) | null
}

const RARE_SHARE = 1 / 6
const BATCH_EVENTS = { min: 1, max: 12 }
const PAUSE_MS = { min: 2, max: 20 }

export const CONTENT_EVENTS: EventKind = {
  common: 'schedule.cancel_required',
  rare: 'generation.ready_for_review',
  bringId: () => `evt_${randomUUID()}`,
  make: (type) => ({
    type,
    content:
      type === 'schedule.cancel_required'
        ? { subject_id: 'sch_01kght2pchain' }
        : {
            generation: {
              id: 'gen_01kgenv9',
              kind: 'article',
              title: 'Überschrift',
              content_id: 'cnt_01kgenv8',
            },
            version_id: 'ver_01kgeq4b',
            version_number: 1,
          },
  }),
}

export const ADS_EVENTS: EventKind = {
  common: 'campaign.status_changed.v1',
  rare: 'segment.created.v1',
  bringId: null,
  make: (type) => ({
    type,
    entity: { type: type.split('.')[0]!, id: randomUUID() },
    content:
      type === 'campaign.status_changed.v1'
        ? { from: 'paused', to: 'active' }
        : { name: 'Rain, “coastal”', kind: 'rule' },
  }),
}

/** Publishes to one workspace until told to end, whatever becomes of the service meanwhile. */
export class EventSource {
  /** Types of acknowledged events, by id. */
  readonly acknowledged = new Map<string, string>()
  /** Requests that broke off: whether their events were stored, nobody told. */
  unanswered = 0
  /** Requests that were answered. */
  answered = 0
  readonly kind: EventKind
  readonly #workspace: WorkspaceClient
  readonly #up: () => Promise<void>
  readonly #random: () => number
  #ending = false
  #givenUp = false

  constructor(workspace: WorkspaceClient, kind: EventKind, up: () => Promise<void>, random: () => number) {
    this.kind = kind
    this.#workspace = workspace
    this.#up = up
    this.#random = random
  }

  async run(): Promise<void> {
    while (!this.#ending) {
      await this.#publish(this.#makeBatch())
      await sleep(wholeNumber(this.#random, PAUSE_MS.min, PAUSE_MS.max))
    }
  }

  end(): void {
    this.#ending = true
  }

  /** Ends at once: the service will not come back. */
  giveUp(): void {
    this.#ending = true
    this.#givenUp = true
  }

  /** Ends with an acknowledgement, or without one when the events have no ids that make a repeat safe. */
  async #publish(events: readonly NewEvent[]): Promise<void> {
    for (;;) {
      await this.#up()
      try {
        const ids = await this.#workspace.publish(events)
        events.forEach(({ type }, i) => {
          this.acknowledged.set(ids[i]!, type)
        })
        this.answered += 1
        return
      } catch (error) {
        // A refusal is a mistake of the harness or of the service; only silence is to be expected here.
        if (error instanceof ApiError && error.status < 500) throw error
        this.unanswered += 1
        if (this.kind.bringId === null || this.#givenUp) return
      }
    }
  }

  #makeBatch(): NewEvent[] {
    const { common, rare, make, bringId } = this.kind
    return Array.from({ length: wholeNumber(this.#random, BATCH_EVENTS.min, BATCH_EVENTS.max) }, () => {
      const event = make(this.#random() < RARE_SHARE ? rare : common)
      return bringId === null ? event : { ...event, id: bringId() }
    })
  }
}
