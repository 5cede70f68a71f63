import type { DeliveryStatus } from '../../core/delivery.ts'
import type { WebhookStatus } from '../../core/enabledState.ts'
import { groupBy } from '../../core/groupBy.ts'
import type { Attempt, DeliveryRecord } from '../rows.ts'
import type { DeliveryPosition } from '../storage.ts'
import { inDayOf, POSITIONS, positionValues, sameDay } from './layout.ts'
import { EFFECTIVE_STATUS } from './rowMappers.ts'
import { columns, type Fragment, joinEach, sql } from './sql.ts'
import { all, row, rows, type Work } from './work.ts'

const ATTEMPT =
  'number trigger webhookVersion startedAt durationMs statusCode errorCode errorMessage cause contentType responseBody'

/**
 * At most this many attempts of a delivery are read, the newest: a delivery may be sent again any number of times, and reads must
 * stay fast.
 */
export const ATTEMPTS_SHOWN = 100

/** Of deliveries `d`, their webhooks `w` and their events `e`. */
const DELIVERY_COLUMNS = `
  ${columns('id webhookId eventId status lease nextAttemptAt createdAt finishedAt cancelReason', 'd')},
  ${columns('firstWebhookVersion firstStartedAt firstDurationMs firstStatusCode firstContentType firstBody', 'd')},
  w.public_id AS "webhookPublicId", e.brought_id AS "broughtEventId", e.type AS "eventType",
  ${columns('canceledThrough canceledAt', 'w')}`

/** Whatever its day. In a subquery of its own: PostgreSQL's planner would begin with tables that it takes for nearly empty. */
const one = (lock: string): Fragment => ({
  sqlite: '(SELECT * FROM deliveries WHERE id = $1) d',
  postgres: `(SELECT * FROM deliveries WHERE id = $1 OFFSET 0 ${lock}) d`,
})
const ITS_WEBHOOK = joinEach(
  'webhooks',
  'w',
  'w.id = d.webhook_id AND w.workspace_id = $2 AND w.deleted_at IS NULL',
)
const ITS_EVENT = sql`JOIN events e ON e.id = d.event_id ${sameDay('e', 'd')}`

export const deliverySql = {
  one: sql`SELECT ${DELIVERY_COLUMNS} FROM ${one('')} ${ITS_WEBHOOK} ${ITS_EVENT}`,
  lock: sql`
    SELECT ${DELIVERY_COLUMNS}, ${EFFECTIVE_STATUS} AS "webhookStatus"
    FROM ${one('FOR UPDATE')} ${ITS_WEBHOOK} JOIN workspaces s ON s.id = $2 AND s.deleted_at IS NULL ${ITS_EVENT}`,
  page: sql`
    SELECT ${DELIVERY_COLUMNS} FROM ${POSITIONS} ${joinEach('deliveries', 'd', sql`d.id = x.id ${inDayOf('d')}`)}
    ${joinEach('events', 'e', sql`e.id = d.event_id ${inDayOf('e')}`)} JOIN webhooks w ON w.id = d.webhook_id`,
  /** Numbers of attempts have no gaps. */
  attempts: sql`
    SELECT d.id AS "deliveryId", ${columns(ATTEMPT, 'a')}
    FROM ${POSITIONS} ${joinEach('deliveries', 'd', sql`d.id = x.id ${inDayOf('d')}`)}
    ${joinEach('attempts', 'a', sql`a.delivery_id = d.id AND a.number > d.attempts - ${String(ATTEMPTS_SHOWN)} ${inDayOf('a')}`)}`,
}

interface DeliveryRow extends Omit<DeliveryRecord, 'attempts'> {
  readonly lease: number | null
  readonly firstWebhookVersion: number | null
  readonly firstStartedAt: number | null
  readonly firstDurationMs: number | null
  readonly firstStatusCode: number | null
  readonly firstContentType: string | null
  readonly firstBody: Uint8Array | null
  readonly canceledThrough: number | null
  readonly canceledAt: number | null
}

type AttemptRow = Attempt & { readonly deliveryId: number }

export function* readDelivery(workspaceId: number, deliveryId: number): Work<DeliveryRecord | null> {
  const found = yield* row<DeliveryRow>(deliverySql.one, [deliveryId, workspaceId])
  if (found === undefined) return null
  return toDelivery(found, yield* rows<AttemptRow>(deliverySql.attempts, positionValues([found])))
}

/** @returns a delivery as it stays until the transaction ends */
export const lockDelivery = (
  workspaceId: number,
  deliveryId: number,
): Work<(DeliveryRow & { readonly webhookStatus: WebhookStatus }) | undefined> =>
  row(deliverySql.lock, [deliveryId, workspaceId])

/** Reads those of these deliveries that are there, in this order. */
export function* readDeliveries(positions: readonly DeliveryPosition[]): Work<readonly DeliveryRecord[]> {
  if (positions.length === 0) return []
  const values = positionValues(positions)
  const [found, attempts] = yield* all(
    rows<DeliveryRow>(deliverySql.page, values),
    rows<AttemptRow>(deliverySql.attempts, values),
  )
  const byId = new Map(found.map((one) => [one.id, one]))
  const attemptsOf = groupBy(attempts, ({ deliveryId }) => deliveryId)
  return positions.flatMap(({ id }) => {
    const delivery = byId.get(id)
    return delivery === undefined ? [] : [toDelivery(delivery, attemptsOf.get(id) ?? [])]
  })
}

/** @param attempts the newest of those that have rows of their own */
function toDelivery(row: DeliveryRow, attempts: readonly AttemptRow[]): DeliveryRecord {
  const canceled = isBeingCanceled(row)
  const status = canceled ? 'canceled' : row.status
  const others = attempts.map(({ deliveryId: _, ...attempt }) => attempt).sort((a, b) => a.number - b.number)
  return {
    id: row.id,
    webhookId: row.webhookId,
    webhookPublicId: row.webhookPublicId,
    eventId: row.eventId,
    broughtEventId: row.broughtEventId,
    eventType: row.eventType,
    status,
    cancelReason: status === 'canceled' ? (row.cancelReason ?? 'webhook_off') : null,
    attempts: [...firstAttempt(row), ...others].slice(-ATTEMPTS_SHOWN),
    nextAttemptAt: canceled ? null : row.nextAttemptAt,
    createdAt: row.createdAt,
    finishedAt: canceled ? row.canceledAt : row.finishedAt,
  }
}

/** Whether the delivery's webhook was disabled and the cancellation has not reached this row yet. */
export function isBeingCanceled(row: Marked & { readonly status: DeliveryStatus }): boolean {
  return row.status === 'pending' && isMarked(row)
}

/**
 * The status that decides whether a delivery can be sent again. A canceled one counts as pending while an attempt may be under
 * way, and while its webhook's deliveries are being canceled: the new attempt would be canceled with them.
 */
export function statusForResending(row: Pick<DeliveryRow, 'status' | 'lease'> & Marked): DeliveryStatus {
  return row.lease === null && !isMarked(row) ? row.status : 'pending'
}

type Marked = Pick<DeliveryRow, 'id' | 'canceledThrough'>

const isMarked = ({ id, canceledThrough: through }: Marked): boolean => through !== null && id <= through

/** The first attempt is stored in the delivery's row if it succeeded. */
function firstAttempt(row: DeliveryRow): Attempt[] {
  if (row.firstStartedAt === null) return []
  return [
    {
      number: 1,
      trigger: 'schedule',
      webhookVersion: row.firstWebhookVersion,
      startedAt: row.firstStartedAt,
      durationMs: row.firstDurationMs!,
      statusCode: row.firstStatusCode,
      errorCode: null,
      errorMessage: null,
      cause: null,
      contentType: row.firstContentType,
      responseBody: row.firstBody,
    },
  ]
}
