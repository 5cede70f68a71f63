import { MatchCache, type OnWebhook, type OnWebhookRow, toOnWebhook } from '../matchCache.ts'
import { KEPT_IN_STORE, PUBLISHED_TO } from './../queries/rowMappers.ts'
import type { Tx } from './transaction.ts'
import { numbers } from './values.ts'

const MAX_WORKSPACES = 10_000

export const matchSql = {
  load: `
    SELECT s.id AS workspace_id, s.webhooks_version, w.id, w.version, w.event_types, ${KEPT_IN_STORE} AS held
    FROM workspaces s LEFT JOIN webhooks w ON w.workspace_id = s.id AND w.deleted_at IS NULL AND ${PUBLISHED_TO}
      AND s.suspended_at IS NULL AND s.deleted_at IS NULL
    WHERE s.id = ANY ($1::bigint[]) ORDER BY s.id, w.id`,
  bump: 'UPDATE workspaces SET webhooks_version = webhooks_version + 1 WHERE id = ANY ($1::bigint[])',
}

interface Row extends Omit<OnWebhookRow, 'id'> {
  readonly workspace_id: number
  readonly webhooks_version: number
  readonly id: number | null
}

/**
 * The webhooks of each workspace that are on, as of a version of the workspace's set. A transaction that uses them must check
 * that the version is still the same.
 */
export class WebhookMatcher {
  readonly #on = new Map<number, readonly OnWebhook[]>()
  readonly #versions = new Map<number, number>()
  readonly #cache = new MatchCache()

  /** Reads the sets of these workspaces that are not in memory. */
  async load(tx: Tx, workspaceIds: Iterable<number>): Promise<void> {
    const missing = [...new Set(workspaceIds)].filter((id) => !this.#on.has(id))
    if (missing.length === 0) return
    if (this.#on.size + missing.length > MAX_WORKSPACES) this.#forgetAll()
    const rows = await tx.rows<Row>(matchSql.load, [numbers(missing)])
    const found = new Map<number, OnWebhook[]>()
    for (const row of rows) {
      this.#versions.set(row.workspace_id, row.webhooks_version)
      const webhooks = found.get(row.workspace_id) ?? []
      if (row.id !== null) webhooks.push(toOnWebhook({ ...row, id: row.id }))
      found.set(row.workspace_id, webhooks)
    }
    for (const id of missing) {
      this.#cache.forget(id)
      this.#on.set(id, found.get(id) ?? [])
    }
  }

  /** Whether {@link load} would read nothing. */
  knows(workspaceIds: ReadonlySet<number>): boolean {
    return [...workspaceIds].every((id) => this.#on.has(id))
  }

  match(workspaceId: number, type: string): readonly OnWebhook[] {
    return this.#cache.match(workspaceId, type, () => this.#on.get(workspaceId) ?? [])
  }

  /** `null` if there was no such workspace. */
  versionOf(workspaceId: number): number | null {
    return this.#versions.get(workspaceId) ?? null
  }

  /** These workspaces changed. */
  forget(workspaceIds: Iterable<number>): void {
    for (const id of workspaceIds) {
      this.#on.delete(id)
      this.#versions.delete(id)
      this.#cache.forget(id)
    }
  }

  #forgetAll(): void {
    this.#on.clear()
    this.#versions.clear()
    this.#cache.forgetAll()
  }
}

/** From this commit on, the set of webhooks that are on has changed, or a version of one. The caller excludes publishes. */
export async function bumpMatching(tx: Tx, workspaceIds: readonly number[]): Promise<void> {
  await tx.run(matchSql.bump, [numbers(workspaceIds)])
}
