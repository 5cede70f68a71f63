import { portionOf } from '../../../core/limit.ts'
import { CLAIMABLE } from '../../queries/queue.ts'
import { perSecond } from '../../queries/rowMappers.ts'
import { columns } from '../../queries/sql.ts'
import type { LeasedDelivery, WebhookRef } from '../../rows.ts'
import type { CallParams, CallResult, CallTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { nodeCheck } from './nodes.ts'

/** Webhooks looked at in one call, and deliveries taken: 2 ms each, so that a claim never holds up a commit for long. */
const MAX_WEBHOOKS = 500
const MAX_TAKEN = 128

export const claimSql = {
  /** A skip scan: one step of the index for each webhook, however many deliveries each has. */
  nextWaiting: `
    SELECT webhook_id, next_attempt_at FROM deliveries INDEXED BY deliveries_waiting
    WHERE status = 'pending' AND lease IS NULL AND webhook_id > ?
    ORDER BY webhook_id, next_attempt_at LIMIT 1`,
  claimable: `
    SELECT w.version, w.workspace_id, w.max_per_1000_s AS rate, w.max_in_flight FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
    WHERE w.id = ? AND ${CLAIMABLE}`,
  owned: 'SELECT 1 FROM limit_owners WHERE webhook_id = ? AND node_id = ?',
  /** Unless a node has it that is not gone. */
  own: `
    INSERT INTO limit_owners (webhook_id, node_id) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET node_id = excluded.node_id
    WHERE NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = limit_owners.node_id)`,
  waitingOf: `
    SELECT id, next_attempt_at FROM deliveries INDEXED BY deliveries_waiting
    WHERE status = 'pending' AND lease IS NULL AND webhook_id = ?
    ORDER BY next_attempt_at, id LIMIT ?`,
  take: `
    UPDATE deliveries SET lease = ? WHERE id = ?
    RETURNING ${columns('id lease webhookId eventId createdAt attempts trigger runStart retryNumber replayId')}`,
  event: `
    SELECT ${columns('workspaceId body traceparent')}, brought_id AS eventPublicId, type AS eventType
    FROM events WHERE id = ?`,
}

interface WaitingRow {
  readonly webhook_id: number
  readonly next_attempt_at: number
}

interface ClaimableRow {
  readonly version: number
  readonly workspace_id: number
  /** Its limit. */
  readonly rate: number | null
  readonly max_in_flight: number | null
}

type EventPart = Pick<LeasedDelivery, 'workspaceId' | 'eventPublicId' | 'eventType' | 'body' | 'traceparent'>
type Taken = Omit<LeasedDelivery, keyof EventPart | 'webhookVersion'>
type ClaimParams = CallParams<'claimDue'>

export function claimCalls({ db }: Store): Pick<CallTable, 'claimDue'> {
  const nodeLives = nodeCheck(db)
  const nextWaiting = db.prepare<[number], WaitingRow>(claimSql.nextWaiting)
  const claimable = db.prepare<[number], ClaimableRow>(claimSql.claimable)
  const waitingOf = db.prepare<[number, number], { id: number; next_attempt_at: number }>(claimSql.waitingOf)
  const take = db.prepare<[number, number], Taken>(claimSql.take)
  const owned = db.prepare<[number, number]>(claimSql.owned)
  const own = db.prepare<[number, number]>(claimSql.own)
  const eventOf = db.prepare<[number], EventPart>(claimSql.event)

  function lease(deliveryId: number, nodeId: number, webhookVersion: number): LeasedDelivery {
    const taken = take.get(nodeId, deliveryId)!
    return { ...taken, ...eventOf.get(taken.eventId)!, webhookVersion }
  }

  /** How many deliveries of a webhook the node may take; `null`: another one sends to it. */
  function portion(
    webhookId: number,
    { rate, max_in_flight: maxInFlight }: ClaimableRow,
    { nodeId, perWebhook }: ClaimParams,
  ): number | null {
    if (rate === null && maxInFlight === null) return perWebhook
    const mine = owned.get(webhookId, nodeId) !== undefined || own.run(webhookId, nodeId).changes > 0
    if (!mine) return null
    return Math.min(perWebhook, portionOf({ maxPerSecond: perSecond(rate), maxInFlight }))
  }

  /** Takes what one webhook has due, as much as there is room for. */
  function takeFrom(
    webhookId: number,
    webhook: ClaimableRow,
    room: number,
    { now, nodeId }: ClaimParams,
    found: Found,
  ): void {
    // One row more than fits tells whether more is due, or when the next one will be.
    for (const [index, row] of waitingOf.all(webhookId, room + 1).entries()) {
      if (row.next_attempt_at > now) {
        found.sawNext(row.next_attempt_at)
        return
      }
      if (index === room) found.more.push(refOf(webhookId, webhook))
      else found.deliveries.push(lease(row.id, nodeId, webhook.version))
    }
  }

  /** @param room for deliveries, of any webhook */
  function visit(
    { webhook_id: webhookId, next_attempt_at: dueAt }: WaitingRow,
    webhook: ClaimableRow,
    room: number,
    params: ClaimParams,
    found: Found,
  ): void {
    const most = room > 0 && dueAt <= params.now ? portion(webhookId, webhook, params) : 0
    if (most === null) found.elsewhere.push(refOf(webhookId, webhook))
    else takeFrom(webhookId, webhook, Math.min(most, room), params, found)
  }

  return {
    claimDue(params): CallResult<'claimDue'> {
      const found = new Found()
      if (!nodeLives(params.nodeId)) return found.result(0)
      const except = new Set(params.except)
      const exceptWorkspaces = new Set(params.exceptWorkspaces)
      let position = params.afterWebhookId
      const limit = Math.min(params.limit, MAX_TAKEN)
      for (let looked = 0; looked < MAX_WEBHOOKS && found.deliveries.length < limit; looked++) {
        const next = nextWaiting.get(position)
        if (next === undefined) return found.result(0)
        position = next.webhook_id
        if (except.has(position) || found.knowsSooner(next.next_attempt_at, params.now)) continue
        const webhook = claimable.get(position)
        if (webhook === undefined) continue
        const isLeftOut = exceptWorkspaces.has(webhook.workspace_id)
        visit(next, webhook, isLeftOut ? 0 : limit - found.deliveries.length, params, found)
      }
      return found.result(position)
    },
  }
}

const refOf = (webhookId: number, { workspace_id: workspaceId }: ClaimableRow): WebhookRef => ({
  webhookId,
  workspaceId,
})

/** What one claim has found so far. */
class Found {
  readonly deliveries: LeasedDelivery[] = []
  readonly more: WebhookRef[] = []
  readonly elsewhere: WebhookRef[] = []
  #nextDueAt: number | null = null

  sawNext(dueAt: number): void {
    if (this.#nextDueAt === null || dueAt < this.#nextDueAt) this.#nextDueAt = dueAt
  }

  /** Whether a webhook whose first delivery is due at `dueAt` has nothing to add. */
  knowsSooner(dueAt: number, now: number): boolean {
    return dueAt > now && this.#nextDueAt !== null && this.#nextDueAt <= dueAt
  }

  result(nextAfterWebhookId: number): CallResult<'claimDue'> {
    const { deliveries, more, elsewhere } = this
    return { deliveries, more, elsewhere, nextAfterWebhookId, nextDueAt: this.#nextDueAt }
  }
}

export const pullInSql = {
  pullIn: `
    UPDATE deliveries SET next_attempt_at = @now WHERE id IN (
      SELECT id FROM deliveries INDEXED BY deliveries_waiting
      WHERE status = 'pending' AND lease IS NULL AND webhook_id = @webhookId AND next_attempt_at > @latest
      LIMIT @limit)`,
}

interface PullIn {
  readonly webhookId: number
  readonly now: number
  readonly latest: number
  readonly limit: number
}

export function pullInCalls({ db }: Store): Pick<CallTable, 'pullInDue'> {
  const nextWaiting = db.prepare<[number], { webhook_id: number }>(claimSql.nextWaiting)
  const pullIn = db.prepare<PullIn>(pullInSql.pullIn)
  return {
    pullInDue({ now, latest, limit, afterWebhookId }) {
      let pulled = 0
      let position = afterWebhookId
      for (let looked = 0; looked < limit; looked++) {
        const next = nextWaiting.get(position)
        if (next === undefined) return { pulled, nextAfterWebhookId: 0 }
        pulled += pullIn.run({ webhookId: next.webhook_id, now, latest, limit: limit - pulled }).changes
        // This webhook may have more such deliveries.
        if (pulled === limit) break
        position = next.webhook_id
      }
      return { pulled, nextAfterWebhookId: position }
    },
  }
}
