import { type After, afterAttempt, finished } from '../../afterAttempt.ts'
import {
  HEALTH_COLUMNS,
  HealthInCall,
  type HealthRow,
  outagesFor,
  settleHealth,
  type WeighParams,
} from '../../queries/health.ts'
import { countReplayed } from '../../queries/replayCounts.ts'
import { noteOutcomes } from '../../queries/searchCodes.ts'
import { addPendingCounts, PendingAttemptCounts, PendingEndCounts } from '../../queries/statsRollup.ts'
import type { Attempt } from '../../rows.ts'
import type { AttemptToRecord } from '../../storage.ts'
import type { Connection } from '../connection.ts'
import type { CallParams, CallTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { carryOutOn } from '../syncWork.ts'
import { nodeCheck } from './nodes.ts'

/** What a call counts. */
interface Counts {
  readonly attempts: PendingAttemptCounts
  readonly ends: PendingEndCounts
}

type RecordParams = CallParams<'recordAttempts'> & WeighParams

const healthSql = { load: `SELECT ${HEALTH_COLUMNS} FROM webhooks WHERE id = ?` }

export function recordCalls(store: Store): Pick<CallTable, 'recordAttempts'> {
  const { db } = store
  const nodeLives = nodeCheck(db)
  const attempts = attemptRows(db)
  const health = db.prepare<[number], HealthRow>(healthSql.load)
  const carryOut = carryOutOn(store)

  function recordSuccess(
    result: AttemptToRecord,
    webhook: HealthInCall,
    params: RecordParams,
    counts: Counts,
  ): boolean {
    if (!attempts.success(params.nodeId, result, params.now)) return false
    counts.attempts.add(result)
    if (!webhook.steady) webhook.accept(webhook.weigh(result, params), result, params)
    return true
  }

  function recordFailure(
    result: AttemptToRecord,
    webhook: HealthInCall,
    params: RecordParams,
    counts: Counts,
  ): boolean {
    const change = webhook.weigh(result, params)
    const after = webhook.canceled(result.deliveryId)
      ? finished('canceled', webhook.canceledAt ?? params.now)
      : afterAttempt(result, params.now)
    const ended = attempts.failure(params.nodeId, result, after)
    if (ended === null) return false
    counts.attempts.add(result)
    if (ended.status === 'canceled') {
      if (result.attempt.trigger !== 'test') counts.ends.canceled(result.webhookId, ended.finishedAt!)
    } else if (ended.status !== 'pending') counts.attempts.failedForGood(result)
    webhook.accept(change, result, params)
    if (result.signal !== 'none') webhook.failed(result, after.status)
    return true
  }

  return {
    recordAttempts(asked) {
      const { nodeId, results, now } = asked
      if (!nodeLives(nodeId))
        return { lost: results.map((result) => result.deliveryId), disabled: [], notifications: [] }
      const params = { ...asked, outages: carryOut(outagesFor(asked)) }
      const lost: number[] = []
      const recorded: AttemptToRecord[] = []
      const counts = { attempts: new PendingAttemptCounts(), ends: new PendingEndCounts() }
      const webhooks = new Map<number, HealthInCall>()
      for (const result of results) {
        let webhook = webhooks.get(result.webhookId)
        if (webhook === undefined) {
          webhook = new HealthInCall(result.webhookId, health.get(result.webhookId))
          webhooks.set(result.webhookId, webhook)
        }
        const record = result.next.status === 'delivered' ? recordSuccess : recordFailure
        if (record(result, webhook, params, counts)) recorded.push(result)
        else lost.push(result.deliveryId)
      }
      if (!counts.attempts.empty) carryOut(addPendingCounts(counts.attempts.at(now)))
      carryOut(counts.ends.save())
      const changes = carryOut(settleHealth([...webhooks.values()], params))
      carryOut(countReplayed(recorded, now))
      carryOut(noteOutcomes(recorded, now))
      return { lost, ...changes }
    },
  }
}

// Every statement is fenced: it changes a row only while the node holds it and no newer attempt was recorded.
export const attemptSql = {
  /** The first try of most deliveries is their last, so it stands in the delivery's own row: 10 % less work. */
  succeedAtOnce: `
    UPDATE deliveries SET status = 'delivered', attempts = 1, next_attempt_at = NULL, lease = NULL,
      finished_at = ?, first_webhook_version = ?, first_started_at = ?, first_duration_ms = ?,
      first_status_code = ?, first_content_type = ?, first_body = ?
    WHERE id = ? AND lease = ? AND attempts = 0`,
  succeed: `
    UPDATE deliveries SET status = 'delivered', attempts = @number, next_attempt_at = NULL, lease = NULL,
      finished_at = @now
    WHERE id = @deliveryId AND lease = @nodeId AND attempts = @number - 1`,
  /** A delivery that was canceled while in flight stays canceled. */
  fail: `
    UPDATE deliveries SET attempts = @number, lease = NULL,
      next_attempt_at = CASE status WHEN 'canceled' THEN NULL ELSE @nextAttemptAt END,
      finished_at = CASE status WHEN 'canceled' THEN finished_at ELSE @finishedAt END,
      status = CASE status WHEN 'canceled' THEN 'canceled' ELSE @status END
    WHERE id = @deliveryId AND lease = @nodeId AND attempts = @number - 1
    RETURNING status, finished_at AS finishedAt`,
  insert: `
    INSERT INTO attempts (delivery_id, number, trigger, webhook_version, started_at, duration_ms, status_code,
      error_code, error_message, cause, content_type, response_body)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
}

/** Writes single attempts, of deliveries that the node still holds. */
function attemptRows(db: Connection) {
  const succeedAtOnce = db.prepare<unknown[]>(attemptSql.succeedAtOnce)
  const succeed = db.prepare<{ deliveryId: number; nodeId: number; number: number; now: number }>(
    attemptSql.succeed,
  )
  const fail = db.prepare<Record<string, string | number | null>, After>(attemptSql.fail)
  const insert = db.prepare<unknown[]>(attemptSql.insert)

  function insertAttempt(deliveryId: number, attempt: Attempt): void {
    insert.run(
      deliveryId,
      attempt.number,
      attempt.trigger,
      attempt.webhookVersion,
      attempt.startedAt,
      Math.round(attempt.durationMs),
      attempt.statusCode,
      attempt.errorCode,
      attempt.errorMessage,
      attempt.cause,
      attempt.contentType,
      attempt.responseBody,
    )
  }

  return {
    /** @returns whether it was written */
    success(nodeId: number, { deliveryId, attempt }: AttemptToRecord, now: number): boolean {
      if (attempt.number > 1 || attempt.trigger !== 'schedule') {
        if (succeed.run({ deliveryId, nodeId, number: attempt.number, now }).changes === 0) return false
        insertAttempt(deliveryId, attempt)
        return true
      }
      const result = succeedAtOnce.run(
        now,
        attempt.webhookVersion,
        attempt.startedAt,
        Math.round(attempt.durationMs),
        attempt.statusCode,
        attempt.contentType,
        attempt.responseBody,
        deliveryId,
        nodeId,
      )
      return result.changes > 0
    },
    /** @returns how the delivery stands then; `null`: nothing was written */
    failure(
      nodeId: number,
      { deliveryId, attempt }: AttemptToRecord,
      after: After,
    ): Pick<After, 'status' | 'finishedAt'> | null {
      const ended = fail.get({ ...after, deliveryId, nodeId, number: attempt.number })
      if (ended === undefined) return null
      insertAttempt(deliveryId, attempt)
      return ended
    },
  }
}
