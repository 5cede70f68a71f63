import { SECOND_MS } from '../../../src/core/duration.ts'
import type { IdempotencyKey } from '../../../src/engine/engine.ts'
import { bodyOf } from '../receivers/receivers.ts'
import type { Trace } from '../trace.ts'
import type { Plan, Publication, World } from './plan.ts'

/** A publisher times out after this. */
const PATIENCE_MS = 10 * SECOND_MS
/** It retries after this. */
const AGAIN_MS = SECOND_MS

/** Events are numbered as they are published, from 0 on. */
export function schedulePublications(
  { publications, lastsMs, draws }: Plan,
  world: World,
  trace: Trace,
): void {
  const { clock } = world
  let published = 0
  const schedule = (position: number) => {
    const publication = publications[position]
    if (publication === undefined || publication.at >= lastsMs) return
    clock.after(publication.at - clock.monotonic(), () => {
      const events = Array.from({ length: publication.events }, () => published++)
      const chooseNode = (attempt: number) => draws.between(0, 1_000, 90, position, attempt)
      void new Publisher(world, trace, publication, events, chooseNode).publish(0, lastsMs)
      schedule(position + 1)
    })
  }
  schedule(0)
}

/** Publishes events on some node; again, if it can and gets no success. */
class Publisher {
  readonly #world: World
  readonly #trace: Trace
  readonly #publication: Publication
  readonly #events: readonly number[]
  readonly #chooseNode: (attempt: number) => number

  constructor(
    world: World,
    trace: Trace,
    publication: Publication,
    events: readonly number[],
    chooseNode: (attempt: number) => number,
  ) {
    this.#world = world
    this.#trace = trace
    this.#publication = publication
    this.#events = events
    this.#chooseNode = chooseNode
  }

  async publish(attempt: number, until: number): Promise<void> {
    const { clock } = this.#world
    const acknowledged = await Promise.race([this.#call(attempt), this.#impatience()])
    if (acknowledged || this.#publication.repeatable === undefined || clock.monotonic() >= until) return
    clock.after(AGAIN_MS, () => void this.publish(attempt + 1, until))
  }

  /** @returns whether the events were acknowledged */
  async #call(attempt: number): Promise<boolean> {
    const { cluster, workspaces } = this.#world
    const { living } = cluster
    const process = living[this.#chooseNode(attempt) % living.length]
    if (process === undefined) return false
    const workspace = workspaces[this.#publication.workspace]!
    try {
      const outcome = await process.engine.publish(workspace, this.#batch(), this.#idempotency())
      if (outcome.outcome !== 'accepted') return false
      const repeated = outcome.events.some((event) => event.repeated)
      this.#trace.note({ kind: 'acknowledged', process: process.number, events: this.#events, repeated })
      return true
    } catch {
      return false
    }
  }

  #impatience(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#world.clock.after(PATIENCE_MS, () => resolve(false))
    })
  }

  #batch() {
    const { type, repeatable, workspace } = this.#publication
    const { dialect } = this.#world.workspaces[workspace]!
    return this.#events.map((event) => {
      const body = bodyOf(event)
      const compose = () => body
      if (repeatable !== 'by event ids') return { type, broughtId: null, fingerprint: null, compose }
      return { type, broughtId: broughtIdOf(dialect, event), fingerprint: Buffer.from(body), compose }
    })
  }

  #idempotency(): IdempotencyKey | null {
    if (this.#publication.repeatable !== 'by idempotency key') return null
    const [first] = this.#events
    return { scope: 'publisher', key: `${first}`, fingerprint: Buffer.from(`${first}`), since: 0 }
  }
}

/** In the form of the service, and different from the store's own ids. */
function broughtIdOf(dialect: string, event: number): string {
  if (dialect === 'content') return `evt_brought${event}`
  return `00000000-0000-4000-8000-${event.toString(16).padStart(12, '0')}`
}
