import { MINUTE_MS } from '../../core/duration.ts'
import { type EarlyChange, type EarlyState, SHARE_OF_MS, type Share } from '../../core/earlyWarning.ts'
import { groupBy } from '../../core/groupBy.ts'
import type { Health, HealthChange } from '../../core/health.ts'
import type { AlertType } from '../rows.ts'
import type { AttemptToRecord } from '../storage.ts'
import { IN_CUSTOMER_WORKSPACE } from './rowMappers.ts'
import { either, type Fragment, isOneOf, joinEach, numberList, sql, typed } from './sql.ts'
import { row, rows, run, type Work } from './work.ts'

// What happens to webhooks, kept in the transaction in which it happens until it has been published and mailed.

/** Deliveries that a share is of at most: the newest. */
const MAX_SAMPLE = 500
/** Alerts of exhausted deliveries in a minute. */
const EXHAUSTED_OF_WEBHOOK = 10
const EXHAUSTED_OF_WORKSPACE = 100

const SAMPLE = `
  SELECT id, created_at, status, attempts FROM deliveries
  WHERE webhook_id = $1 AND created_at > $2 AND trigger <> 'test'
  ORDER BY created_at DESC, id DESC LIMIT ${MAX_SAMPLE}`
const SHARE_COLUMNS = `
  count(CASE WHEN d.status <> 'canceled' AND d.attempts > 0 THEN 1 END) AS tried,
  count(CASE WHEN d.status IN ('failed', 'dead', 'pending') AND d.attempts > 0 THEN 1 END) AS failed,
  min(CASE WHEN d.status IN ('failed', 'dead', 'pending') THEN a.started_at END) AS "firstFailureAt"`

/** Whether the operational webhook of workspace `s`, or that of the operator, is on. */
const LISTENS = `
  EXISTS (
    SELECT 1 FROM workspaces o JOIN webhooks l ON l.workspace_id = o.id
    WHERE o.kind = 'operational' AND o.deleted_at IS NULL AND coalesce(o.operational_for, 0) IN (0, s.id)
      AND l.status = 'on' AND l.deleted_at IS NULL)`
const IN_CUSTOMER_WORKSPACE_NOW = `${IN_CUSTOMER_WORKSPACE} AND s.deleted_at IS NULL`
const AS_NUMBER: Fragment = { sqlite: LISTENS, postgres: `(${LISTENS})::int` }

const alertSql = {
  share: either({
    sqlite: `
      SELECT ${SHARE_COLUMNS} FROM (${SAMPLE}) d
      LEFT JOIN attempts a ON a.delivery_id = d.id AND a.number = 1 AND a.error_code IS NOT NULL`,
    postgres: `
      SELECT ${SHARE_COLUMNS} FROM (${SAMPLE}) d
      LEFT JOIN LATERAL (
        SELECT started_at FROM attempts
        WHERE delivery_id = d.id AND created_at = d.created_at AND number = 1 AND error_code IS NOT NULL
        OFFSET 0) a ON true`,
  }),
  /** Alerts without a recipient are not stored. */
  add: sql`
    INSERT INTO alerts (workspace_id, webhook_id, type, data, created_at, to_publish, mail_at)
    SELECT s.id, ${typed('$2', 'bigint')}, $3, $4, $5, ${AS_NUMBER}, ${typed('$6', 'bigint')}
    FROM workspaces s WHERE s.id = $1 AND ${IN_CUSTOMER_WORKSPACE_NOW} AND (${typed('$6', 'bigint')} IS NOT NULL OR ${LISTENS})`,
  listening: sql`
    SELECT s.id FROM workspaces s WHERE s.id ${isOneOf('$1', 'bigint')} AND ${IN_CUSTOMER_WORKSPACE_NOW} AND ${LISTENS}
    ORDER BY s.id`,
  /** Begins a new minute where the last one is over. */
  openMinute: sql`
    INSERT INTO exhausted (workspace_id, webhook_id, minute, told, left_out) VALUES ($1, $2, $3, 0, 0)
    ON CONFLICT (workspace_id, webhook_id) DO UPDATE
      SET told = CASE WHEN exhausted.minute = excluded.minute THEN exhausted.told ELSE 0 END, minute = excluded.minute
    RETURNING told AS reported, left_out AS "leftOut"`,
  count: sql`
    UPDATE exhausted SET told = told + $3, left_out = $4 WHERE workspace_id = $1 AND webhook_id = $2`,
  events: sql`
    SELECT d.id AS "deliveryId", d.created_at AS "createdAt", d.attempts, e.id AS "eventId",
      e.brought_id AS "broughtEventId", e.type AS "eventType"
    FROM deliveries d ${joinEach('events', 'e', {
      sqlite: 'e.id = d.event_id',
      postgres: 'e.id = d.event_id AND e.created_at = d.created_at',
    })}
    WHERE d.id ${isOneOf('$1', 'bigint')} AND d.created_at BETWEEN $2 AND $3 ORDER BY d.id`,
}

/** What the results of a call made of a webhook, as far as alerts tell of it. */
interface AlertedWebhook {
  readonly webhookId: number
  readonly workspaceId: number
  readonly health: Pick<Health, 'failingSince'>
  readonly off: HealthChange['off']
  readonly turn: EarlyChange['turn']
  readonly failedSince: number | null
  readonly early: EarlyState
  readonly share: Share | null
  readonly failures: readonly AttemptToRecord[]
  readonly exhausted: number
  readonly exhaustedFirst: readonly AttemptToRecord[]
}

/** Of the deliveries of the last hour, those that were made since the webhook was well. */
export function* readShare(
  { webhookId, recoveredAt }: { readonly webhookId: number; readonly recoveredAt: number | null },
  now: number,
): Work<Share> {
  const since = Math.max(now - SHARE_OF_MS, recoveredAt ?? 0)
  return (yield* row<Share>(alertSql.share, [webhookId, since]))!
}

interface AlertToAdd {
  readonly type: AlertType
  readonly workspaceId: number
  /** `null`: it is about several. */
  readonly webhookId: number | null
  readonly data: Readonly<Record<string, unknown>>
  readonly mailed: boolean
}

export const addAlert = (
  { type, workspaceId, webhookId, data, mailed }: AlertToAdd,
  now: number,
): Work<number> =>
  run(alertSql.add, [workspaceId, webhookId, type, JSON.stringify(data), now, mailed ? now : null])

/** What the results of a call made of their webhooks. */
export function* addAlerts(webhooks: readonly AlertedWebhook[], now: number): Work<void> {
  for (const webhook of webhooks) {
    const { webhookId, workspaceId, turn, off, health } = webhook
    const about = { workspaceId, webhookId }
    if (off !== null) {
      const data = { reason: off, since: health.failingSince }
      yield* addAlert({ ...about, type: 'webhook.disabled', data, mailed: false }, now)
    } else if (turn === 'failing')
      yield* addAlert({ ...about, type: 'webhook.failing', data: failingData(webhook), mailed: true }, now)
    else if (turn === 'recovered') {
      const data = { since: webhook.failedSince }
      yield* addAlert({ ...about, type: 'webhook.recovered', data, mailed: true }, now)
    }
  }
  const exhausted = webhooks.filter((webhook) => webhook.exhausted > 0)
  if (exhausted.length > 0) yield* addExhausted(exhausted, now)
}

function failingData({ early, health, share, failures }: AlertedWebhook): AlertToAdd['data'] {
  const last = failures.at(-1)?.attempt
  return {
    reason: early.alert!.reason === 'failures' ? 'consecutive_failures' : 'failure_share',
    since: share === null ? health.failingSince : share.firstFailureAt,
    failures_in_a_row: early.failures,
    deliveries: share === null ? null : { attempted: share.tried, failed: share.failed },
    last_error:
      last === undefined ? null : { code: last.errorCode, status_code: last.statusCode, at: last.startedAt },
  }
}

/** Adds up to a limit of alerts a minute, and counts the rest. */
function* addExhausted(webhooks: readonly AlertedWebhook[], now: number): Work<void> {
  const ofWorkspace = groupBy(webhooks, ({ workspaceId }) => workspaceId)
  // Most workspaces have no operational webhook.
  const listening = yield* rows<{ readonly id: number }>(alertSql.listening, [numberList(ofWorkspace.keys())])
  const minute = Math.floor(now / MINUTE_MS)
  for (const { id: workspaceId } of listening) {
    const whole = new Minute(workspaceId, ALL_WEBHOOKS, yield* openMinute(workspaceId, ALL_WEBHOOKS, minute))
    const sorted = [...ofWorkspace.get(workspaceId)!].sort((one, other) => one.webhookId - other.webhookId)
    for (const { webhookId, exhausted, exhaustedFirst } of sorted) {
      // The rows of webhooks must stay few, however many webhooks fail.
      if (whole.reported >= EXHAUSTED_OF_WORKSPACE) {
        whole.leftOut += exhausted
        continue
      }
      const own = new Minute(workspaceId, webhookId, yield* openMinute(workspaceId, webhookId, minute))
      const room = Math.min(EXHAUSTED_OF_WEBHOOK - own.reported, EXHAUSTED_OF_WORKSPACE - whole.reported)
      const reported = exhaustedFirst.slice(0, Math.max(0, room))
      if (reported.length > 0) {
        yield* tellExhausted(workspaceId, webhookId, reported, own.leftOut, now)
        own.leftOut = 0
      }
      own.reported += reported.length
      own.leftOut += exhausted - reported.length
      whole.reported += reported.length
      yield* own.save()
    }
    yield* whole.save()
  }
}

/** Id that represents all webhooks of a workspace. */
export const ALL_WEBHOOKS = 0

interface MinuteRow {
  readonly reported: number
  readonly leftOut: number
}

const openMinute = (workspaceId: number, webhookId: number, minute: number): Work<MinuteRow> =>
  row<MinuteRow>(alertSql.openMinute, [workspaceId, webhookId, minute]) as Work<MinuteRow>

class Minute {
  readonly #ids: readonly [number, number]
  readonly #before: number
  reported: number
  leftOut: number

  constructor(workspaceId: number, webhookId: number, { reported, leftOut }: MinuteRow) {
    this.#ids = [workspaceId, webhookId]
    this.#before = reported
    this.reported = reported
    this.leftOut = leftOut
  }

  save(): Work<number> {
    return run(alertSql.count, [...this.#ids, this.reported - this.#before, this.leftOut])
  }
}

interface ExhaustedRow {
  readonly deliveryId: number
  readonly createdAt: number
  readonly attempts: number
  readonly eventId: number
  readonly broughtEventId: string | null
  readonly eventType: string
}

function* tellExhausted(
  workspaceId: number,
  webhookId: number,
  results: readonly AttemptToRecord[],
  leftOut: number,
  now: number,
): Work<void> {
  const times = results.map(({ createdAt }) => createdAt)
  const found = yield* rows<ExhaustedRow>(alertSql.events, [
    numberList(results.map(({ deliveryId }) => deliveryId)),
    Math.min(...times),
    Math.max(...times),
  ])
  const attemptOf = new Map(results.map(({ deliveryId, attempt }) => [deliveryId, attempt]))
  for (const [at, delivery] of found.entries()) {
    const { errorCode: code, statusCode: status_code, startedAt } = attemptOf.get(delivery.deliveryId)!
    const data = {
      delivery,
      last_error: { code, status_code, at: startedAt },
      left_out: at === 0 ? leftOut : 0,
    }
    yield* addAlert({ type: 'delivery.exhausted', workspaceId, webhookId, data, mailed: false }, now)
  }
}
