import { MINUTE_MS } from '../../core/duration.ts'
import type { Alert, Webhook, Workspace } from '../rows.ts'
import { ALL_WEBHOOKS, addAlert } from './alerts.ts'
import { lookup, type Queries, write } from './query.ts'
import { WORKSPACE } from './rowMappers.ts'
import { asObject, columns, isOneOf, numberList, objectOf, SKIP_LOCKED, sql, typed } from './sql.ts'
import { all, row, rows, run, type Work } from './work.ts'

// Operational workspaces and their webhooks. See ADR 38.

/** What the operator's has, which is for no one workspace. */
const FOR_ALL = { publicId: '', slug: '', name: '' }

/** As an operational workspace `o` presents itself. */
const OPERATIONAL = `
  SELECT o.id, o.dialect, o.suspended_at AS "suspendedAt", o.created_at AS "createdAt", o.operational_for AS "for",
    s.public_id AS "publicId", s.slug, s.name
  FROM workspaces o LEFT JOIN workspaces s ON s.id = o.operational_for AND s.deleted_at IS NULL
  WHERE o.kind = 'operational' AND o.deleted_at IS NULL AND (o.operational_for IS NULL OR s.id IS NOT NULL)`
const LISTENING = `
  EXISTS (SELECT 1 FROM webhooks l WHERE l.workspace_id = o.id AND l.status = 'on' AND l.deleted_at IS NULL)`

const operationalSql = {
  of: sql`${OPERATIONAL} AND coalesce(o.operational_for, 0) = $1`,
  listening: sql`${OPERATIONAL} AND coalesce(o.operational_for, 0) ${isOneOf('$1', 'bigint')} AND ${LISTENING} ORDER BY o.id`,
  make: sql`
    INSERT INTO workspaces (public_id, dialect, slug, name, created_at, kind, operational_for)
    SELECT $2, $3, $2, '', $4, 'operational', ${typed('$1', 'bigint')}
    WHERE ${typed('$1', 'bigint')} IS NULL OR EXISTS (SELECT 1 FROM workspaces WHERE id = $1 AND deleted_at IS NULL)
    ON CONFLICT DO NOTHING`,
  toPublish: sql`
    SELECT ${columns('id alertKey type data createdAt', 'a')}, ${asObject(WORKSPACE, 's')} AS workspace,
      w.public_id AS "publicId", w.url, w.description
    FROM (SELECT * FROM alerts WHERE to_publish = 1 AND id > $2 ORDER BY id LIMIT $1) a
    JOIN workspaces s ON s.id = a.workspace_id LEFT JOIN webhooks w ON w.id = a.webhook_id
    ORDER BY a.id`,
  published: sql`UPDATE alerts SET to_publish = 0 WHERE id ${isOneOf('$1', 'bigint')} AND mail_at IS NOT NULL`,
  finished: sql`DELETE FROM alerts WHERE id ${isOneOf('$1', 'bigint')} AND mail_at IS NULL`,
  past: sql`
    SELECT ${columns('workspaceId webhookId minute leftOut')} FROM exhausted WHERE minute < $1
    ORDER BY minute LIMIT $2 ${SKIP_LOCKED}`,
  closed: sql`DELETE FROM exhausted WHERE workspace_id = $1 AND webhook_id = $2 AND minute = $3`,
}

interface OperationalRow extends Omit<Workspace, 'publicId' | 'slug' | 'name'> {
  readonly for: number | null
  readonly publicId: string | null
  readonly slug: string | null
  readonly name: string | null
}

function toOperational({ for: _, publicId, slug, name, ...row }: OperationalRow): Workspace {
  return publicId === null ? { ...row, ...FOR_ALL } : { ...row, publicId, slug: slug!, name: name! }
}

interface AlertRow extends Omit<Alert, 'workspace' | 'webhook' | 'data'> {
  readonly data: string
  readonly workspace: Workspace | string
  readonly publicId: string | null
  readonly url: string
  readonly description: string
}

function toAlert({ data, workspace, publicId, url, description, ...alert }: AlertRow): Alert {
  const webhook: Pick<Webhook, 'publicId' | 'url' | 'description'> | null =
    publicId === null ? null : { publicId, url, description }
  return { ...alert, data: JSON.parse(data) as Alert['data'], workspace: objectOf(workspace), webhook }
}

export const operationalQueries: Queries<
  'readAlerts' | 'settleAlerts' | 'closeMinutes' | 'getOperational' | 'makeOperational'
> = {
  readAlerts: lookup(function* ({ limit, after = 0 }) {
    const alerts = (yield* rows<AlertRow>(operationalSql.toPublish, [limit, after])).map(toAlert)
    if (alerts.length === 0) return []
    const ids = new Set([0, ...alerts.map(({ workspace }) => workspace.id)])
    const listening = yield* rows<OperationalRow>(operationalSql.listening, [numberList(ids)])
    return alerts.map((alert) => ({
      alert,
      targets: listening
        .filter((one) => one.for === null || one.for === alert.workspace.id)
        .map(toOperational),
    }))
  }),
  settleAlerts: write(function* ({ ids }) {
    const list = numberList(ids)
    yield* all(run(operationalSql.published, [list]), run(operationalSql.finished, [list]))
  }),
  closeMinutes: write(function* ({ now, limit }) {
    const past = yield* rows<PastRow>(operationalSql.past, [Math.floor(now / MINUTE_MS), limit])
    for (const { workspaceId, webhookId, minute, leftOut } of past) {
      yield* run(operationalSql.closed, [workspaceId, webhookId, minute])
      if (leftOut > 0) yield* tellLeftOut(workspaceId, webhookId, leftOut, now)
    }
    return past.length
  }),
  getOperational: lookup(function* ({ workspaceId }) {
    return yield* operationalOf(workspaceId)
  }),
  makeOperational: write(function* ({ workspaceId, publicId, dialect, now }) {
    const known = yield* operationalOf(workspaceId)
    if (known !== null) return known
    yield* run(operationalSql.make, [workspaceId, publicId, dialect, now])
    return yield* operationalOf(workspaceId)
  }),
}

interface PastRow {
  readonly workspaceId: number
  readonly webhookId: number
  readonly minute: number
  readonly leftOut: number
}

const tellLeftOut = (workspaceId: number, webhookId: number, leftOut: number, now: number): Work<number> =>
  addAlert(
    {
      type: 'delivery.exhausted',
      workspaceId,
      webhookId: webhookId === ALL_WEBHOOKS ? null : webhookId,
      data: { delivery: null, last_error: null, left_out: leftOut },
      mailed: false,
    },
    now,
  )

function* operationalOf(workspaceId: number | null): Work<Workspace | null> {
  const found = yield* row<OperationalRow>(operationalSql.of, [workspaceId ?? 0])
  return found === undefined ? null : toOperational(found)
}
