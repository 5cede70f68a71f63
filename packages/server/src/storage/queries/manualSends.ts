import type { RunTrigger } from '../../core/delivery.ts'
import type { WebhookStatus } from '../../core/enabledState.ts'
import type { ResendTrigger } from '../../core/policy.ts'
import type { Restarted } from '../../core/stats/counters.ts'
import { leftOf, slidingWindow } from '../slidingWindow.ts'
import type {
  DeliveryPosition,
  EventToStore,
  LimitState,
  ManualSendLimit,
  ManualSendResult,
} from '../storage.ts'
import { lockDelivery, readDelivery, statusForResending } from './deliveries.ts'
import { positionLists } from './layout.ts'
import { list, type Queries, write } from './query.ts'
import { beginRetry, retryOne } from './retries.ts'
import { EFFECTIVE_STATUS } from './rowMappers.ts'
import { columns, either, records, sql, typed } from './sql.ts'
import { PendingEndCounts } from './statsRollup.ts'
import { all, callDriver, nothing, row, rows, run, type Work } from './work.ts'

const NOW = typed('$2', 'bigint')

/** A test stays one, however often it is sent. */
const STARTED = `
      status = 'pending', trigger = CASE trigger WHEN 'test' THEN 'test' ELSE $3 END, next_attempt_at = $4,
      finished_at = NULL, cancel_reason = NULL, replay_id = $5, run_start = attempts`
const STARTABLE = 'status = $3 AND lease IS NULL AND finished_at <= $4'
const ENDED = columns('id createdAt webhookId finishedAt attempts trigger', 'd')
const ADD_DELIVERY = `
      INSERT INTO deliveries (id, event_id, webhook_id, created_at, next_attempt_at, attempts, run_start, status, trigger)
      VALUES ($1, $2, $3, $4, $4, 0, 0, 'pending', 'test')`

export const manualSendSql = {
  /** A send in the future was recorded before the clock was set back, and must not count until then. */
  prune: sql`
    DELETE FROM manual_sends WHERE workspace_id = $1 AND (sent_at <= ${NOW} - $3 OR sent_at > ${NOW} + $3)`,
  sends: sql`SELECT sent_at FROM manual_sends WHERE workspace_id = $1 ORDER BY sent_at`,
  recentSends: sql`
    SELECT sent_at FROM manual_sends
    WHERE workspace_id = $1 AND sent_at > ${NOW} - $3 AND sent_at <= ${NOW} + $3 ORDER BY sent_at`,
  add: sql`INSERT INTO manual_sends (workspace_id, sent_at) VALUES ($1, $2)`,
  webhook: sql`
    SELECT ${EFFECTIVE_STATUS} AS status FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
    WHERE w.id = $1 AND w.workspace_id = $2 AND w.deleted_at IS NULL AND s.deleted_at IS NULL`,
  /** Those that can be started again, as they are until the transaction ends. */
  startable: either({
    sqlite: `
      SELECT ${ENDED} FROM deliveries d
      WHERE id IN (SELECT value FROM json_each($1)) AND ${STARTABLE} ORDER BY id`,
    postgres: `
      SELECT ${ENDED} FROM deliveries d JOIN unnest($1::bigint[], $2::bigint[]) AS x (of_id, of_time)
        ON d.id = x.of_id AND d.created_at = x.of_time
      WHERE ${STARTABLE} ORDER BY id FOR NO KEY UPDATE OF d`,
  }),
  startRuns: either({
    sqlite: `
      UPDATE deliveries SET ${STARTED}
      WHERE id IN (SELECT value FROM json_each($1))`,
    postgres: `
      WITH started AS (
        UPDATE deliveries d SET ${STARTED},
          ended_badly = CASE WHEN attempts > 0 THEN 'retrying' END
        FROM unnest($1::bigint[], $2::bigint[]) AS x (id, created_at)
        WHERE d.id = x.id AND d.created_at = x.created_at
        RETURNING d.webhook_id, d.next_attempt_at, d.id, d.created_at)
      INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
      SELECT webhook_id, next_attempt_at, id, created_at FROM started`,
  }),
  takeDeliveryId: either({
    sqlite: 'UPDATE store SET next_delivery_id = next_delivery_id + 1 RETURNING next_delivery_id - 1 AS id',
    postgres: `SELECT nextval('delivery_ids') AS id`,
  }),
  /** SQLite gives the first of as many consecutive ones. */
  takeDeliveryIds: either({
    sqlite: 'UPDATE store SET next_delivery_id = next_delivery_id + $1 RETURNING next_delivery_id - $1 AS id',
    postgres: `SELECT nextval('delivery_ids') AS id FROM generate_series(1, $1)`,
  }),
  addRecovered: either({
    sqlite: `
      INSERT INTO deliveries (id, event_id, webhook_id, created_at, next_attempt_at, attempts, run_start, status, trigger, replay_id)
      SELECT value ->> 'id', value ->> 'event_id', $2, value ->> 'created_at', $3, 0, 0, 'pending', 'recover', $4
      FROM json_each($1)`,
    postgres: `
      INSERT INTO deliveries (id, event_id, webhook_id, created_at, next_attempt_at, attempts, run_start, status, trigger, replay_id)
      SELECT id, event_id, $2, created_at, $3, 0, 0, 'pending', 'recover', $4
      FROM json_to_recordset($1::json) AS x (id bigint, event_id bigint, created_at bigint)`,
  }),
  /** SQLite finds them by their event; PostgreSQL lists waiting deliveries instead. */
  noteRecovered: either({
    sqlite: `
      INSERT INTO added_deliveries (event_id, delivery_id)
      SELECT value ->> 'event_id', value ->> 'id' FROM json_each($1)`,
    postgres: `
      INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at)
      SELECT $2, $3, id, created_at FROM json_to_recordset($1::json) AS x (id bigint, created_at bigint)`,
  }),
  /** It has no place in the feed. */
  addTest: either({
    sqlite: `
      INSERT INTO events (id, workspace_id, type, brought_id, fingerprint, body, created_at, first_delivery_id, delivery_count)
      SELECT $1, $2, $3, $4, $5, $6, $7, next_delivery_id - 1, 1 FROM store`,
    postgres: `
      INSERT INTO events (id, workspace_id, type, brought_id, fingerprint, body, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)`,
  }),
  noteForSearch: sql`INSERT INTO search_tests (event_id, workspace_id, created_at) VALUES ($1, $2, $3)`,
  addDelivery: either({
    sqlite: ADD_DELIVERY,
    postgres: `
      WITH delivery AS (${ADD_DELIVERY})
      INSERT INTO waiting (webhook_id, due_at, delivery_id, created_at) VALUES ($3, $4, $1, $4)`,
  }),
}

export const manualSendQueries: Queries<
  'sendTest' | 'resend' | 'retryDelivery' | 'retryWebhook' | 'manualSendsLeft'
> = {
  sendTest: {
    ...write<'sendTest'>(function* ({ event, webhookId, limit, now }) {
      const { workspaceId } = event
      const [, refusal] = yield* all(keepApart(workspaceId, limit), refusalFor(webhookId, workspaceId))
      if (refusal !== null) return refusal
      return yield* send(workspaceId, limit, now, () => insertTest(event, webhookId))
    }),
    daysOf: ({ event }) => [event.createdAt],
  },
  resend: write(function* ({ workspaceId, deliveryId, trigger, from, limit, now }) {
    const [, found] = yield* all(keepApart(workspaceId, limit), lockDelivery(workspaceId, deliveryId))
    if (found === undefined) return NOT_FOUND
    const refusal = refusalOf(found.webhookStatus)
    if (refusal !== null) return refusal
    const status = statusForResending(found)
    if (!from.includes(status) || status === 'pending') return { outcome: 'wrong_status', status }
    return yield* send(workspaceId, limit, now, function* () {
      yield* startRuns([found], { trigger, from: status, finishedBy: found.finishedAt!, replayId: null, now })
      return deliveryId
    })
  }),
  retryDelivery: write(function* ({ workspaceId, deliveryId, limit, now }) {
    const [, found] = yield* all(keepApart(workspaceId, limit), readDelivery(workspaceId, deliveryId))
    if (found === null) return NOT_FOUND
    const refusal = yield* refusalFor(found.webhookId, workspaceId)
    if (refusal !== null) return refusal
    if (found.status !== 'pending') return { outcome: 'wrong_status', status: found.status }
    return yield* send(workspaceId, limit, now, function* () {
      yield* retryOne(found, now)
      return deliveryId
    })
  }),
  retryWebhook: write(function* ({ workspaceId, webhookId, limit, now }) {
    const [, refusal] = yield* all(keepApart(workspaceId, limit), refusalFor(webhookId, workspaceId))
    if (refusal !== null) return refusal
    const counted = yield* countSend(workspaceId, limit, now)
    if (counted.outcome !== 'allowed') return counted
    return { outcome: 'accepted', ...(yield* beginRetry(webhookId, now)), limit: counted.limit }
  }),
  manualSendsLeft: list(function* ({ workspaceId, limit, now }) {
    const sends = yield* rows<SendRow>(manualSendSql.recentSends, [workspaceId, now, limit.windowMs])
    return leftOf(sends.map(sentAt), limit, now)
  }),
}

interface SendRow {
  readonly sent_at: number
}

const sentAt = ({ sent_at }: SendRow): number => sent_at

type Refusal = Extract<ManualSendResult, { readonly outcome: 'webhook_not_on' }>

const NOT_FOUND = { outcome: 'not_found' } as const

const refusalOf = (status: WebhookStatus): Refusal | null =>
  status === 'on' ? null : { outcome: 'webhook_not_on', status }

/** @returns why nothing may be sent to the webhook; `null`: something may */
export function* refusalFor(webhookId: number, workspaceId: number): Work<Refusal | typeof NOT_FOUND | null> {
  const values = [webhookId, workspaceId]
  const webhook = yield* row<{ readonly status: WebhookStatus }>(manualSendSql.webhook, values)
  return webhook === undefined ? NOT_FOUND : refusalOf(webhook.status)
}

/** Until the transaction ends, no webhook of the workspace is disabled, and no other send is counted. */
export const keepApart = (workspaceId: number, limit: ManualSendLimit | null): Work<unknown> =>
  all(
    callDriver('keepWebhooks', [workspaceId]),
    limit === null ? nothing() : callDriver('countManualSends', workspaceId),
  )

/** @param carryOut sends, if the limit allows it @returns the delivery */
function* send(
  workspaceId: number,
  limit: ManualSendLimit | null,
  now: number,
  carryOut: () => Work<number>,
): Work<ManualSendResult> {
  const counted = yield* countSend(workspaceId, limit, now)
  if (counted.outcome !== 'allowed') return counted
  const delivery = yield* readDelivery(workspaceId, yield* carryOut())
  return { outcome: 'accepted', delivery: delivery!, limit: counted.limit }
}

/** Counts a manual send if the limit allows it; there may be none. */
export function* countSend(
  workspaceId: number,
  limit: ManualSendLimit | null,
  now: number,
): Work<
  | { readonly outcome: 'allowed'; readonly limit: LimitState | null }
  | { readonly outcome: 'rate_limited'; readonly limit: LimitState }
> {
  if (limit === null) return { outcome: 'allowed', limit: null }
  const { allowed, state } = yield* decide(workspaceId, limit, now)
  return { outcome: allowed ? 'allowed' : 'rate_limited', limit: state }
}

/** A send that is allowed is counted. */
function* decide(workspaceId: number, limit: ManualSendLimit, now: number) {
  const [, sends] = yield* all(
    run(manualSendSql.prune, [workspaceId, now, limit.windowMs]),
    rows<SendRow>(manualSendSql.sends, [workspaceId]),
  )
  const decision = slidingWindow(sends.map(sentAt), limit, now)
  if (decision.allowed) yield* run(manualSendSql.add, [workspaceId, now])
  return decision
}

/** Stores a test for one webhook, due now. @returns the delivery */
function* insertTest(event: EventToStore, webhookId: number): Work<number> {
  const { id, workspaceId, type, broughtId, fingerprint, body, createdAt } = event
  const delivery = (yield* row<{ readonly id: number }>(manualSendSql.takeDeliveryId))!
  yield* all(
    run(manualSendSql.addTest, [id, workspaceId, type, broughtId, fingerprint, body, createdAt]),
    run(manualSendSql.addDelivery, [delivery.id, id, webhookId, createdAt]),
    run(manualSendSql.noteForSearch, [id, workspaceId, createdAt]),
  )
  return delivery.id
}

/**
 * Adds a delivery to each of these events, which were published before, due now. The caller has called `keepWebhooks`, and seen that
 * the webhook has none of them.
 */
export function* addDeliveries(
  events: readonly { readonly id: number; readonly createdAt: number }[],
  {
    webhookId,
    replayId,
    now,
  }: { readonly webhookId: number; readonly replayId: number; readonly now: number },
): Work<void> {
  if (events.length === 0) return
  const taken = yield* rows<{ readonly id: number }>(manualSendSql.takeDeliveryIds, [events.length])
  const idAt = (index: number): number => taken[index]?.id ?? taken[0]!.id + index
  const added = records(
    events.map(({ id, createdAt }, index) => ({ id: idAt(index), event_id: id, created_at: createdAt })),
  )
  yield* all(
    run(manualSendSql.addRecovered, [added, webhookId, now, replayId]),
    run(manualSendSql.noteRecovered, [added, webhookId, now]),
  )
}

/** A new run of attempts of finished deliveries. */
interface RunStart {
  readonly trigger: ResendTrigger
  /** The status that they must still have: another node may have been faster. */
  readonly from: Restarted['status']
  /** They must have finished by this time. */
  readonly finishedBy: number
  /** The bulk replay that begins them; `null`: none does. */
  readonly replayId: number | null
  readonly now: number
}

interface EndedRow extends DeliveryPosition {
  readonly webhookId: number
  readonly finishedAt: number
  readonly attempts: number
  readonly trigger: RunTrigger
}

/**
 * Begins a new run, due now, of those of these deliveries that are leased to no node. The caller has called `keepWebhooks`.
 * @returns how many
 */
export function* startRuns(
  deliveries: readonly DeliveryPosition[],
  { trigger, from, finishedBy, replayId, now }: RunStart,
): Work<number> {
  const asked = [...positionLists(deliveries), from, finishedBy]
  const found = yield* rows<EndedRow>(manualSendSql.startable, asked)
  if (found.length === 0) return 0
  const counts = new PendingEndCounts()
  for (const { webhookId, finishedAt, attempts, trigger: begun } of found)
    if (begun !== 'test') counts.restarted(webhookId, finishedAt, { status: from, attempts })
  yield* counts.save()
  return yield* run(manualSendSql.startRuns, [...positionLists(found), trigger, now, replayId])
}
