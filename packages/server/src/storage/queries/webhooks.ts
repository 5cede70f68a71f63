import { nextStatus, type WebhookStatus } from '../../core/enabledState.ts'
import type { OffReason } from '../../core/health.ts'
import type { WebhookLimit } from '../../core/limit.ts'
import type { CallParams } from '../callGroups.ts'
import { type SealedSecret, WEBHOOK_DEFAULTS, type Webhook } from '../rows.ts'
import type { OtherVersion, SecretSpan, WebhookUpdate } from '../storage.ts'
import { addAlert } from './alerts.ts'
import { cancel } from './cancel.ts'
import { forgetFailures } from './health.ts'
import { limitSql } from './limits.ts'
import { list, lookup, type Queries, write } from './query.ts'
import {
  EFFECTIVE_STATUS,
  FAILING,
  perSecond,
  storedRate,
  toWebhook,
  WEBHOOK_COLUMNS,
  type WebhookRow,
} from './rowMappers.ts'
import { columns, type Fragment, forNoKeyUpdateOf, isOneOf, sql, textList, typed } from './sql.ts'
import { all, callDriver, nothing, row, rows, run, type Work } from './work.ts'

const SELECT = `
  SELECT ${WEBHOOK_COLUMNS} FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
  WHERE w.workspace_id = $1 AND w.deleted_at IS NULL AND s.deleted_at IS NULL`

const INSTR: Fragment = { sqlite: 'instr', postgres: 'strpos' }
/** Up to the path, which begins after the ninth character, whichever the scheme is. */
const ORIGIN = sql`substr(w.url, 1, ${INSTR}(substr(w.url, 9), '/') + 7)`
const SHOWN_URL = sql`
  CASE WHEN ${typed('$6', 'text')} IS NULL OR w.created_by_type = $6 AND w.created_by_public_id = ${typed('$7', 'text')}
    THEN w.url ELSE ${ORIGIN} END`
const FILTER = sql`
  (${typed('$4', 'text')} IS NULL OR w.public_id = $4
    OR ${INSTR}(lower(w.description || ' ' || w.event_types || ' ' || ${SHOWN_URL}), lower($4)) > 0)
  AND (${typed('$5', 'text')} IS NULL OR ${EFFECTIVE_STATUS} = $5 OR $5 = 'failing' AND ${FAILING})`
/** The same as {@link attentionRank}. */
const RANK = `
  CASE WHEN ${FAILING} THEN 0 WHEN w.status = 'off' THEN 1 WHEN ${EFFECTIVE_STATUS} = 'paused' THEN 2 ELSE 3 END`

export const webhookSql = {
  byId: sql`${SELECT} AND w.id = $2`,
  byPublicId: sql`${SELECT} AND w.public_id = $2`,
  /** Whichever workspace has it. A condition on the deletion would lead PostgreSQL away from the key of the workspace. */
  byPublicIdAlone: sql`
    SELECT w.id, s.dialect, s.deleted_at AS "workspaceDeletedAt"
    FROM webhooks w JOIN workspaces s ON s.id = w.workspace_id
    WHERE w.public_id = $1 AND w.deleted_at IS NULL`,
  lock: sql`${SELECT} AND w.id = $2 ${forNoKeyUpdateOf('w')}`,
  some: sql`${SELECT} AND w.public_id ${isOneOf('$2', 'text')} ORDER BY w.id DESC`,
  page: sql`${SELECT} AND w.id < $2 ORDER BY w.id DESC LIMIT $3`,
  filtered: sql`
    ${SELECT} AND w.id < $2 AND ${FILTER} ORDER BY w.id DESC LIMIT $3`,
  byAttention: sql`
    ${SELECT} AND (${RANK} > $8 OR ${RANK} = $8 AND w.id < $2) AND ${FILTER}
    ORDER BY ${RANK}, w.id DESC LIMIT $3`,
  count: sql`SELECT count(*) AS count FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL`,
  insert: sql`
    INSERT INTO webhooks (workspace_id, public_id, url, event_types, description, status, created_by_type,
      created_by_public_id, created_at, updated_at, version, warn, snoozed_until, max_per_1000_s, max_in_flight)
    SELECT id, $2, $3, $4, $5, 'on', $6, $7, $8, $8, 1, $9, ${typed('$10', 'bigint')}, ${typed('$11', 'bigint')},
      ${typed('$12', 'bigint')}
    FROM workspaces WHERE id = $1 AND deleted_at IS NULL
    RETURNING id, version`,
  addUrl: sql`INSERT INTO webhook_urls (webhook_id, from_version, url) VALUES ($1, $2, $3)`,
  update: sql`
    UPDATE webhooks SET url = $2, event_types = $3, description = $4, status = $5, off_reason = $6,
      holds = $8, warn = $9, snoozed_until = $10, max_per_1000_s = $11, max_in_flight = $12, updated_at = $7,
      version = version + 1
    WHERE id = $1`,
  touch: sql`UPDATE webhooks SET updated_at = $2, version = version + 1 WHERE id = $1`,
  remove: sql`
    UPDATE webhooks SET deleted_at = $2, updated_at = $2, version = version + 1 WHERE id = $1`,
}

export const webhookQueries: Queries<
  | 'createWebhook'
  | 'getWebhook'
  | 'listWebhooks'
  | 'findWebhooks'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'rotateSecret'
> = {
  createWebhook: write(function* (params) {
    const { workspaceId, publicId, createdBy, maxWebhooks, now } = params
    const { url, eventTypes, description, warn, snoozedUntil, ...limit } = { ...WEBHOOK_DEFAULTS, ...params }
    const [, counted] = yield* all(
      callDriver('excludePublishes', [workspaceId]),
      row<{ readonly count: number }>(webhookSql.count, [workspaceId]),
    )
    if (maxWebhooks !== null && counted!.count >= maxWebhooks) return { outcome: 'limit_reached' }
    const fields = [publicId, url, JSON.stringify(eventTypes), description]
    const made = [createdBy.type, createdBy.publicId, now]
    const created = yield* row<Pick<WebhookRow, 'id' | 'version'>>(webhookSql.insert, [
      workspaceId,
      ...fields,
      ...made,
      textOf(warn),
      snoozedUntil,
      ...limitValues(limit),
    ])
    if (created === undefined) return { outcome: 'workspace_not_found' }
    const { id, version } = created
    const [webhook] = yield* all(
      reread(workspaceId, id),
      run(webhookSql.addUrl, [id, version, url]),
      addSecret(id, params.sealedSecret, version, now),
      callDriver('matchingChanged', [workspaceId]),
    )
    return { outcome: 'created', webhook }
  }),
  getWebhook: lookup(function* ({ workspaceId, publicId }) {
    const found = yield* row<WebhookRow>(webhookSql.byPublicId, [workspaceId, publicId])
    return found === undefined ? null : toWebhook(found)
  }),
  listWebhooks: list(function* ({ workspaceId, limit, before, filter, failingFirst }) {
    const values = [workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit]
    const { text = null, status = null, wholeUrlsOf = null } = filter ?? {}
    const filters = [text, status, wholeUrlsOf?.type ?? null, wholeUrlsOf?.publicId ?? null]
    const found =
      failingFirst !== undefined
        ? rows<WebhookRow>(webhookSql.byAttention, [...values, ...filters, failingFirst.rank])
        : filter !== undefined
          ? rows<WebhookRow>(webhookSql.filtered, [...values, ...filters])
          : rows<WebhookRow>(webhookSql.page, values)
    return (yield* found).map(toWebhook)
  }),
  findWebhooks: list(function* ({ workspaceId, publicIds }) {
    return (yield* rows<WebhookRow>(webhookSql.some, [workspaceId, textList(publicIds)])).map(toWebhook)
  }),
  updateWebhook: write(function* (params) {
    const found = yield* take(params.workspaceId, params.webhookId)
    if (found === undefined) return null
    return otherVersion(found, params.ifVersions) ?? (yield* update(found, params))
  }),
  deleteWebhook: write(function* ({ workspaceId, webhookId, ifVersions, now }) {
    const found = yield* take(workspaceId, webhookId)
    if (found === undefined) return null
    const refusal = otherVersion(found, ifVersions)
    if (refusal !== null) return refusal
    yield* all(
      run(webhookSql.remove, [webhookId, now]),
      run(limitSql.forget, [webhookId]),
      removeSecrets(webhookId),
      callDriver('matchingChanged', [workspaceId]),
    )
    yield* cancel([webhookId], now)
    return { outcome: 'deleted' }
  }),
  rotateSecret: write(function* ({ workspaceId, webhookId, ifVersions, sealedSecret, overlapMs, now }) {
    const found = yield* take(workspaceId, webhookId)
    if (found === undefined) return null
    const refusal = otherVersion(found, ifVersions)
    if (refusal !== null) return refusal
    const version = found.version + 1
    const [, , , , webhook] = yield* all(
      run(webhookSql.touch, [webhookId, now]),
      retireSecret(webhookId, now + overlapMs, version),
      addSecret(webhookId, sealedSecret, version, now),
      callDriver('matchingChanged', [workspaceId]),
      reread(workspaceId, webhookId),
    )
    return { outcome: 'rotated', webhook }
  }),
}

/**
 * Locks the webhook until the transaction ends, and excludes publishes to its workspace: earlier publishes see the old webhook,
 * later ones the new one.
 */
function* take(workspaceId: number, webhookId: number): Work<WebhookRow | undefined> {
  const [, found] = yield* all(
    callDriver('excludePublishes', [workspaceId]),
    row<WebhookRow>(webhookSql.lock, [workspaceId, webhookId]),
  )
  return found
}

function* update(
  found: WebhookRow,
  { changes, pauseHolds = false, now }: CallParams<'updateWebhook'>,
): Work<WebhookUpdate> {
  const weighed = weighUpdate(found, changes)
  if (weighed.outcome === 'off') return { outcome: 'off' }
  if (weighed.outcome === 'same') return { outcome: 'updated', webhook: toWebhook(found), changed: false }
  const { url, types, description, status, offReason, warn, snoozedUntil, limit } = weighed.row
  const holds = status === 'paused' && (found.stored === 'paused' ? Boolean(found.holds) : pauseHolds)
  // A pause resets nothing, since nothing was delivered during it.
  const enabled = found.stored === 'off' && status !== 'off'
  const [, , , webhook] = yield* all(
    run(webhookSql.update, [
      ...[found.id, url, types, description, status, offReason, now, holds, warn, snoozedUntil],
      ...limitValues(limit),
    ]),
    enabled ? forgetFailures(found.id, now) : nothing(),
    callDriver('matchingChanged', [found.workspaceId]),
    reread(found.workspaceId, found.id),
    weighed.newUrl ? run(webhookSql.addUrl, [found.id, found.version + 1, url]) : nothing(),
  )
  if (weighed.disabled) {
    yield* cancel([found.id], now)
    yield* addDisabled(found, now)
  }
  return { outcome: 'updated', webhook, changed: true }
}

const textOf = (warn: Webhook['warn']): string | null => (warn === null ? null : JSON.stringify(warn))

const addDisabled = (
  { id: webhookId, workspaceId, failingSince }: WebhookRow,
  now: number,
): Work<unknown> => {
  const data = { reason: 'manual', since: failingSince }
  return addAlert({ type: 'webhook.disabled', workspaceId, webhookId, data, mailed: false }, now)
}

function* reread(workspaceId: number, webhookId: number): Work<Webhook> {
  return toWebhook((yield* row<WebhookRow>(webhookSql.byId, [workspaceId, webhookId]))!)
}

type Changes = CallParams<'updateWebhook'>['changes']

const limitValues = ({ maxPerSecond, maxInFlight }: WebhookLimit) => [storedRate(maxPerSecond), maxInFlight]

/** What a webhook's row becomes. */
interface NewRow {
  readonly url: string
  readonly types: string
  readonly description: string
  readonly status: WebhookStatus
  readonly offReason: OffReason | null
  readonly limit: WebhookLimit
  /** As JSON. */
  readonly warn: string | null
  readonly snoozedUntil: number | null
}

type Weighed =
  /** The webhook is off and only a change of its pause was requested. */
  | { readonly outcome: 'off' }
  /** All is as it was asked for. */
  | { readonly outcome: 'same' }
  | {
      readonly outcome: 'write'
      readonly row: NewRow
      readonly newUrl: boolean
      /** Its pending deliveries must be canceled. */
      readonly disabled: boolean
    }

/** What an update of a webhook comes to. Absent members of `changes` stay. */
function weighUpdate(row: WebhookRow, changes: Changes): Weighed {
  const from = row.stored
  const status = nextStatus(from, changes)
  if (status === null) return { outcome: 'off' }
  const url = changes.url ?? row.url
  const types = changes.eventTypes === undefined ? row.types : JSON.stringify(changes.eventTypes)
  const description = changes.description ?? row.description
  const warn = changes.warn === undefined ? row.warn : textOf(changes.warn)
  const snoozedUntil = changes.snoozedUntil === undefined ? row.snoozedUntil : changes.snoozedUntil
  const newUrl = url !== row.url
  const { maxPerSecond = perSecond(row.rate), maxInFlight = row.maxInFlight } = changes
  const limit = { maxPerSecond, maxInFlight }
  const isSame =
    types === row.types &&
    description === row.description &&
    warn === row.warn &&
    snoozedUntil === row.snoozedUntil &&
    storedRate(maxPerSecond) === row.rate &&
    maxInFlight === row.maxInFlight
  if (!newUrl && isSame && status === from) return { outcome: 'same' }
  const disabled = status === 'off' && from !== 'off'
  const offReason = disabled ? 'manual' : status === 'off' ? row.offReason : null
  const fields = { url, types, description, status, offReason, warn, snoozedUntil, limit }
  return { outcome: 'write', row: fields, newUrl, disabled }
}

/** @returns the refusal when the webhook has none of the versions that the caller would change */
function otherVersion({ version }: WebhookRow, ifVersions: readonly number[] | null): OtherVersion | null {
  return ifVersions === null || ifVersions.includes(version) ? null : { outcome: 'other_version', version }
}

const SIGNING = 'webhook_id = $1 AND (expires_at IS NULL OR expires_at > $2) ORDER BY id DESC LIMIT $3'

export const secretSql = {
  add: sql`INSERT INTO secrets (webhook_id, sealed, created_at, from_version) VALUES ($1, $2, $3, $4)`,
  /** It is kept even without an overlap: the log shows requests that it signed. */
  retire: sql`
    UPDATE secrets SET expires_at = $2, until_version = $3 WHERE webhook_id = $1 AND expires_at IS NULL`,
  removeAll: sql`DELETE FROM secrets WHERE webhook_id = $1`,
  list: sql`SELECT ${columns('createdAt fromVersion expiresAt')} FROM secrets WHERE ${SIGNING}`,
  signing: sql`SELECT ${columns('sealed expiresAt')} FROM secrets WHERE ${SIGNING}`,
}

/** @param version of the webhook, from which on the secret signs */
const addSecret = (webhookId: number, sealed: Uint8Array, version: number, now: number): Work<number> =>
  run(secretSql.add, [webhookId, sealed, now, version])

/** The current one still signs until `expiresAt`, and belongs to earlier versions than this. */
const retireSecret = (webhookId: number, expiresAt: number, version: number): Work<number> =>
  run(secretSql.retire, [webhookId, expiresAt, version])

const removeSecrets = (webhookId: number): Work<number> => run(secretSql.removeAll, [webhookId])

interface FoundAlone {
  readonly id: number
  readonly dialect: string
  readonly workspaceDeletedAt: number | null
}

export const secretQueries: Queries<'listSecrets' | 'getSigningSecrets'> = {
  listSecrets: list(({ webhookId, limit, now }) => rows<SecretSpan>(secretSql.list, [webhookId, now, limit])),
  getSigningSecrets: list(function* ({ publicId, limit, now }) {
    const found = yield* row<FoundAlone>(webhookSql.byPublicIdAlone, [publicId])
    if (found === undefined || found.workspaceDeletedAt !== null) return null
    const secrets = yield* rows<SealedSecret>(secretSql.signing, [found.id, now, limit])
    return { dialect: found.dialect, secrets }
  }),
}
