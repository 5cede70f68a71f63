import { createHash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { Engine, EventToPublish } from '../engine/engine.ts'
import type { FailureLog } from '../engine/log/failureLog.ts'
import { Loop } from '../engine/loop.ts'
import { operationalService } from '../profiles/operational.ts'
import type { Alert, Workspace } from '../storage/rows.ts'
import type { Storage } from '../storage/storage.ts'

const LOOK_EVERY_MS = 5 * SECOND_MS
/** Alerts published in one step. */
const STEP = 100
/** Minutes of exhausted deliveries that one step closes. */
const STEP_MINUTES = 500
/** How long it rests after a step that left something to do, as a multiple of what the step took. */
const RESTS = 2

/**
 * Publishes alerts to operational webhooks, as the events of a service of its own. An alert is published under its own id, so that it is
 * one event however many nodes publish it, and whatever dies before it is settled.
 */
export function createAlertRelay(params: {
  readonly storage: Storage['alerts']
  readonly engine: Pick<Engine, 'publish' | 'ids'>
  readonly clock: Clock
  readonly failureLog: FailureLog
}): Loop {
  const { storage, engine, clock, failureLog } = params
  /** Id of the alert behind which to read on: alerts that wait for a quota must not block later ones. 0: from the first. */
  let after = 0
  return new Loop({
    name: 'publishing of alerts',
    clock,
    failureLog,
    intervalMs: LOOK_EVERY_MS,
    async work() {
      const startedAt = clock.monotonic()
      const closed = await storage.closeMinutes({ now: clock.now(), limit: STEP_MINUTES })
      const read = await storage.readAlerts({ limit: STEP, after })
      const waiting = new Set<Alert>()
      for (const [target, alerts] of byTarget(read)) {
        const { outcome } = await engine.publish(
          target,
          alerts.map((alert) => eventOf(alert, engine.ids)),
          null,
        )
        // A quota keeps them waiting. An id that is taken is taken by the same alert.
        if (outcome === 'quota_exceeded') for (const alert of alerts) waiting.add(alert)
      }
      const ids = read.flatMap(({ alert }) => (waiting.has(alert) ? [] : [alert.id]))
      if (ids.length > 0) await storage.settleAlerts({ ids })
      after = read.length < STEP ? 0 : read.at(-1)!.alert.id
      const more = after > 0 || closed === STEP_MINUTES
      return more ? (clock.monotonic() - startedAt) * RESTS : null
    },
  })
}

type Read = Awaited<ReturnType<Storage['alerts']['readAlerts']>>

function byTarget(read: Read): Iterable<readonly [Workspace, readonly Alert[]]> {
  const found = new Map<number, [Workspace, Alert[]]>()
  for (const { alert, targets } of read)
    for (const target of targets) {
      const known = found.get(target.id)
      if (known === undefined) found.set(target.id, [target, [alert]])
      else known[1].push(alert)
    }
  return found.values()
}

function eventOf(alert: Alert, ids: Engine['ids']): EventToPublish {
  const { type, alertKey, workspace, createdAt } = alert
  const event = { type, data: dataOf(alert, ids), members: {} }
  return {
    type,
    broughtId: operationalService.ids.broughtEventId(`evt_${alertKey}`),
    fingerprint: createHash('sha256').update(alertKey).digest(),
    compose: operationalService.envelope.prepare(event, workspace, createdAt),
  }
}

interface AlertError {
  readonly code: string | null
  readonly status_code: number | null
  readonly at: number
}

interface AlertDelivery {
  readonly deliveryId: number
  readonly createdAt: number
  readonly attempts: number
  readonly eventId: number
  readonly broughtEventId: string | null
  readonly eventType: string
}

/** Members of an alert whose published form differs from the stored one. */
interface AlertData {
  readonly since?: number | null
  readonly last_error?: AlertError | null
  readonly delivery?: AlertDelivery | null
}

function dataOf({ data, webhook, workspace }: Alert, ids: Engine['ids']): Readonly<Record<string, unknown>> {
  const { since, last_error: error, delivery, ...others } = data as AlertData
  return {
    webhook:
      webhook === null
        ? null
        : // Not the path: it often carries a token, and this may go to anyone whom an owner names.
          { id: webhook.publicId, url: new URL(webhook.url).origin, description: webhook.description },
    ...others,
    ...(since === undefined ? {} : { since: timeOrNull(since) }),
    ...(error === undefined
      ? {}
      : { last_error: error === null ? null : { ...error, at: timeOrNull(error.at) } }),
    ...(delivery === undefined ? {} : { delivery: deliveryOf(delivery, workspace, ids) }),
  }
}

const timeOrNull = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

function deliveryOf(delivery: AlertDelivery | null, workspace: Workspace, ids: Engine['ids']): object | null {
  if (delivery === null) return null
  const { deliveryId, createdAt, attempts, eventId, broughtEventId: broughtId, eventType } = delivery
  return {
    id: ids.delivery(workspace, { id: deliveryId, createdAt }),
    event_id: ids.event(workspace, { id: eventId, broughtId, createdAt }),
    event_type: eventType,
    attempts,
  }
}
