import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/duration.ts'
import { groupBy } from '../../core/groupBy.ts'
import type { AlertType } from '../rows.ts'
import { type ErrorRow, notificationSql } from './notifications.ts'
import { type Queries, write } from './query.ts'
import { columns, isOneOf, joinEach, numberList, sql } from './sql.ts'
import { all, callDriver, row, rows, run, type Work } from './work.ts'

/** Webhooks that one e-mail names; it counts the others. */
const MAX_SHOWN = 10
/** Alerts that one e-mail is made of at most. */
const MAX_ALERTS = 5_000
/** Owners who get an e-mail, at most. */
const MAX_OWNERS = 50
/** E-mails in a day that come soon one after another; later ones take their time. */
const SOON_A_DAY = 6
const SOON_MS = 10 * MINUTE_MS
const LATER_MS = HOUR_MS

const alertMailSql = {
  due: sql`
    SELECT workspace_id AS "workspaceId" FROM alerts WHERE mail_at <= $1 GROUP BY workspace_id
    ORDER BY min(mail_at) LIMIT $2`,
  /** The recent e-mails to its owners; all owners get them at the same times. */
  lately: sql`
    SELECT count(DISTINCT created_at) AS count, max(created_at) AS last FROM notifications
    WHERE workspace_id = $1 AND kind = 'webhook_alerts' AND created_at > $2`,
  postpone: sql`UPDATE alerts SET mail_at = $2 WHERE workspace_id = $1 AND mail_at IS NOT NULL`,
  waiting: sql`
    SELECT ${columns('id type webhookId data', 'a')}, w.public_id AS "publicId", w.url, w.description,
      w.status, w.deleted_at AS "deletedAt", w.alerted_at AS "alertedAt", w.snoozed_until AS "snoozedUntil"
    FROM (
      SELECT * FROM alerts WHERE workspace_id = $1 AND mail_at IS NOT NULL ORDER BY id LIMIT ${String(MAX_ALERTS)}) a
    ${joinEach('webhooks', 'w', 'w.id = a.webhook_id')}
    ORDER BY a.id`,
  mailed: sql`UPDATE alerts SET mail_at = NULL WHERE id ${isOneOf('$1', 'bigint')} AND to_publish = 1`,
  finished: sql`DELETE FROM alerts WHERE id ${isOneOf('$1', 'bigint')} AND to_publish = 0`,
  notify: sql`
    INSERT INTO notifications (kind, workspace_id, member_id, data, created_at, due_at)
    SELECT 'webhook_alerts', m.workspace_id, m.id, $2, $3, 0
    FROM members m JOIN workspaces s ON s.id = m.workspace_id AND s.deleted_at IS NULL
    WHERE m.workspace_id = $1 AND m.role = 'owner' AND m.failing_warnings ORDER BY m.id LIMIT ${String(MAX_OWNERS)}`,
}

interface WaitingRow {
  readonly id: number
  readonly type: AlertType
  readonly webhookId: number
  readonly data: string
  readonly publicId: string
  readonly url: string
  readonly description: string
  readonly status: string
  readonly deletedAt: number | null
  readonly alertedAt: number | null
  readonly snoozedUntil: number | null
}

export const alertMailQueries: Queries<'mailAlerts'> = {
  mailAlerts: write(function* ({ now, limit }) {
    if (!(yield* callDriver('tryAlone', 'alerts'))) return { looked: 0, made: 0 }
    const due = yield* rows<{ readonly workspaceId: number }>(alertMailSql.due, [now, limit])
    let made = 0
    for (const { workspaceId } of due) made += yield* mailOf(workspaceId, now)
    return { looked: due.length, made }
  }),
}

/** @returns how many e-mails were made */
function* mailOf(workspaceId: number, now: number): Work<number> {
  const lately = yield* row<{ readonly count: number; readonly last: number | null }>(alertMailSql.lately, [
    workspaceId,
    now - DAY_MS,
  ])
  const { count, last } = lately!
  const next = last === null ? now : last + (count < SOON_A_DAY ? SOON_MS : LATER_MS)
  // A time in the future was written while the clock was ahead.
  if (next > now && last! <= now) {
    yield* run(alertMailSql.postpone, [workspaceId, next])
    return 0
  }
  const waiting = yield* rows<WaitingRow>(alertMailSql.waiting, [workspaceId])
  const ids = numberList(waiting.map(({ id }) => id))
  const news = newsOf(waiting, now)
  yield* all(run(alertMailSql.mailed, [ids]), run(alertMailSql.finished, [ids]))
  if (news.length === 0) return 0
  const shown = news.slice(0, MAX_SHOWN)
  const errors = yield* all(
    ...shown.map(({ row }) => rows<ErrorRow>(notificationSql.lastErrors, [row.webhookId])),
  )
  const data = {
    webhooks: shown.map(({ state, row }, at) => ({
      state,
      webhook_public_id: row.publicId,
      url: row.url,
      description: row.description,
      ...(JSON.parse(row.data) as object),
      last_error: state === 'failing' ? ((errors as readonly (readonly ErrorRow[])[])[at]![0] ?? null) : null,
    })),
    failing: news.filter(({ state }) => state === 'failing').length,
    recovered: news.filter(({ state }) => state === 'recovered').length,
  }
  return yield* run(alertMailSql.notify, [workspaceId, JSON.stringify(data), now])
}

interface News {
  readonly state: 'failing' | 'recovered'
  readonly row: WaitingRow
}

/** The alerts that are still relevant, failing webhooks first: a webhook that failed and has recovered since is left out. */
function newsOf(waiting: readonly WaitingRow[], now: number): readonly News[] {
  const news = [...groupBy(waiting, ({ webhookId }) => webhookId).values()].flatMap((ofOne): News[] => {
    const first = ofOne[0]!
    const row = ofOne.at(-1)!
    if (row.deletedAt !== null || (row.snoozedUntil !== null && now < row.snoozedUntil)) return []
    if (row.type === 'webhook.failing')
      return row.status === 'on' && row.alertedAt !== null ? [{ state: 'failing', row }] : []
    return first.type === 'webhook.recovered' ? [{ state: 'recovered', row }] : []
  })
  return [
    ...news.filter(({ state }) => state === 'failing'),
    ...news.filter(({ state }) => state !== 'failing'),
  ]
}
