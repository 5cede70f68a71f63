import type { Scene } from '../../console/scene.ts'
import { weighted, wholeNumber } from '../../support/random.ts'
import type { Account, Cast, EventTypeJson } from './cast.ts'
import { another } from './stories.ts'

/**
 * Activity at each hour of the day, as a share of the busiest hour. The week ends in an afternoon, whenever
 * the pictures are drawn.
 */
const DAY = [
  0.12, 0.1, 0.08, 0.08, 0.1, 0.16, 0.3, 0.55, 0.8, 0.95, 1, 0.9, 0.7, 0.8, 0.95, 0.98, 0.85, 0.65, 0.45,
  0.35, 0.3, 0.25, 0.2, 0.15,
]
const LAST_HOUR = 16
const MAX_BATCH = 100

/** Publishes for all accounts, as much as the hour of the day has. */
export class Publisher {
  readonly #scene: Scene
  readonly #accounts: readonly Account[]
  readonly #random: () => number

  constructor(scene: Scene, { content, ads, neighbors }: Cast, random: () => number) {
    this.#scene = scene
    this.#accounts = [content, ads, ...neighbors]
    this.#random = random
  }

  /** Publishes the events of a number of hours. */
  async publish(hoursAgo: number, hours: number): Promise<void> {
    const busy = DAY.at((LAST_HOUR - Math.floor(hoursAgo)) % DAY.length)!
    const published = this.#accounts.map((account) => {
      const expected = account.eventsAnHour * busy * hours * (0.7 + 0.6 * this.#random())
      return this.#publish(account, Math.min(MAX_BATCH, Math.floor(expected + this.#random())))
    })
    await Promise.all(published)
  }

  async #publish({ dialect, workspace, types }: Account, count: number): Promise<void> {
    if (count === 0) return
    const events = Array.from({ length: count }, () => {
      const type = weighted(this.#random, types.map(withWeight))
      return dialect === 'content' ? this.#contentEvent(type) : this.#adsEvent(type)
    })
    await this.#scene.api.post(workspace.publishPath, { token: workspace.key, body: { events } })
  }

  #contentEvent({ type, example }: EventTypeJson) {
    const { workspace: _workspace, actor_id, links, ...data } = example.data as Record<string, unknown>
    return { type, data: another(data, this.#random), actor_id, links }
  }

  #adsEvent({ type, example }: EventTypeJson) {
    const { entityType, entityId, payload } = example
    const end = wholeNumber(this.#random, 0, 0xffffff).toString(16).padStart(6, '0')
    return { type, entityType, entityId: `${String(entityId).slice(0, -end.length)}${end}`, payload }
  }
}

/** Relative frequency of common types; all others are rare. */
const OFTEN: Readonly<Record<string, number>> = {
  'generation.ready_for_review': 6,
  'generation.review_requested': 4,
  'version.approved': 5,
  'version.changes_requested': 2,
  'publication.published': 5,
  'comment.created': 8,
  'campaign.updated.v1': 2,
  'line_item.updated.v1': 4,
  'conversion_event.created.v1': 40,
  'segment.evaluated.v1': 8,
  'report.ready.v1': 2,
  'sync.succeeded.v1': 3,
}

const withWeight = (type: EventTypeJson) => ({ ...type, weight: OFTEN[type.type] ?? 0.5 })
