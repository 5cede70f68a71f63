import {
  type Changed,
  type ChangeName,
  type ChangeResult,
  IdempotencyKeyReusedError,
  type IdempotencyRecord,
  type ToAudit,
} from '../storage.ts'
import { addAudit } from './audit.ts'
import { type Queries, write } from './query.ts'
import { sql } from './sql.ts'
import { all, callDriver, nothing, row, run, type Work } from './work.ts'

export const idempotencySql = {
  find: sql`
    SELECT fingerprint, verb, result, memo AS "responseData", memo_until AS "responseDataUntil" FROM idempotency_keys
    WHERE scope = $1 AND key = $2 AND created_at >= $3`,
  /** A row with the same key is older than keys are remembered. */
  remember: sql`
    INSERT INTO idempotency_keys (scope, key, fingerprint, verb, result, memo, memo_until, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (scope, key) DO UPDATE SET fingerprint = excluded.fingerprint, verb = excluded.verb,
      result = excluded.result, memo = excluded.memo, memo_until = excluded.memo_until,
      created_at = excluded.created_at`,
}

export const changeQueries: Queries<'change'> = {
  change: write(function* ({ call, params, audit, idempotency, now }) {
    const known = idempotency === null ? undefined : yield* find(idempotency)
    if (known !== undefined) return repeated(known, idempotency!, call, now)
    const result = yield* callDriver('carryOut', call, params)
    yield* all(
      audit !== null && hasEffect(call, result) ? addAudit(auditOf(audit, call, result), now) : nothing(),
      idempotency !== null && isRemembered(call, result)
        ? run(idempotencySql.remember, recordValues(idempotency, call, result, now))
        : nothing(),
    )
    return { result, repeated: false, responseData: idempotency?.responseData ?? null }
  }),
}

/** A member that claims of the identity provider gave keeps its id when people create it. */
function auditOf<N extends ChangeName>(audit: ToAudit, call: N, result: ChangeResult<N>): ToAudit {
  if (call !== 'createMember') return audit
  const { publicId: id } = result as NonNullable<ChangeResult<'createMember'>>
  return { ...audit, target: { ...audit.target, id } }
}

/** Finds the earlier call under the key. If it is under way, waits for it. */
function* find({ scope, key, since }: IdempotencyRecord): Work<IdempotencyRow | undefined> {
  const [, known] = yield* all(
    callDriver('useIdempotencyKey', scope, key),
    row<IdempotencyRow>(idempotencySql.find, [scope, key, since]),
  )
  return known
}

interface IdempotencyRow {
  readonly fingerprint: Uint8Array
  readonly verb: string
  readonly result: string
  readonly responseData: Uint8Array | null
  readonly responseDataUntil: number | null
}

/**
 * What a repeat gets as its answer.
 * @param row of the call that was made before under the key
 * @throws IdempotencyKeyReusedError
 */
function repeated<N extends ChangeName>(
  row: IdempotencyRow,
  { fingerprint }: IdempotencyRecord,
  call: N,
  now: number,
): Changed<N> {
  if (row.verb !== call || Buffer.compare(row.fingerprint, fingerprint) !== 0)
    throw new IdempotencyKeyReusedError('the key was used for another request')
  const responseData = row.responseDataUntil === null || now < row.responseDataUntil ? row.responseData : null
  return { result: resultFromText(row.result) as ChangeResult<N>, repeated: true, responseData }
}

/** @returns scope, key, fingerprint, verb, result, response data, its end and the time of the call, as they are kept */
function recordValues<N extends ChangeName>(
  { scope, key, fingerprint, responseData, responseDataUntil }: IdempotencyRecord,
  call: N,
  result: ChangeResult<N>,
  now: number,
): (string | number | null | Uint8Array)[] {
  return [
    scope,
    key,
    fingerprint,
    call,
    resultToText(toRemember(call, result)),
    responseData,
    responseDataUntil,
    now,
  ]
}

/**
 * The effect of a call: `refused` changed nothing and may be tried again, `unchanged` found everything as requested, `changed`
 * changed something.
 */
type Effect = 'refused' | 'unchanged' | 'changed'

const changedIf = (changed: boolean): Effect => (changed ? 'changed' : 'refused')
const unlessNull = (result: unknown): Effect => changedIf(result !== null)

const EFFECTS: { readonly [N in ChangeName]: (result: ChangeResult<N>) => Effect } = {
  createWorkspace: unlessNull,
  suspendWorkspace: unlessNull,
  deleteWorkspace: unlessNull,
  createMember: unlessNull,
  updateMember: (result) => ofUpdate(result),
  updatePreferences: (result) => ofUpdate(result),
  deleteMember: changedIf,
  createKey: unlessNull,
  revokeKey: changedIf,
  createAdminToken: unlessNull,
  revokeAdminToken: changedIf,
  createSession: unlessNull,
  deleteSession: changedIf,
  deleteSessions: (count) => (count > 0 ? 'changed' : 'unchanged'),
  createOperator: unlessNull,
  createSignInLink: ({ outcome }) => changedIf(outcome === 'created'),
  createPortalLink: unlessNull,
  createWebhook: ({ outcome }) => changedIf(outcome === 'created'),
  updateWebhook: (result) => (result?.outcome === 'updated' ? ofUpdate(result) : 'refused'),
  deleteWebhook: (result) => changedIf(result?.outcome === 'deleted'),
  rotateSecret: (result) => changedIf(result?.outcome === 'rotated'),
  sendTest: ({ outcome }) => changedIf(outcome === 'accepted'),
  resend: ({ outcome }) => changedIf(outcome === 'accepted'),
  retryDelivery: ({ outcome }) => changedIf(outcome === 'accepted'),
  retryWebhook: ofRetry,
  putProfile: ({ outcome }) => changedIf(outcome === 'put'),
  removeProfile: ({ outcome }) => changedIf(outcome === 'removed'),
  createReplay: ({ outcome }) => changedIf(outcome === 'created'),
  cancelReplay: ofCancel,
  createConsumer: ({ outcome }) => changedIf(outcome === 'created'),
  seekConsumer: unlessNull,
  deleteConsumer: changedIf,
  acknowledge: ofAcknowledgement,
  publish: (results) => changedIf(results.every(({ outcome }) => outcome === 'accepted')),
}

/** A running retry continues. */
function ofRetry(retried: ChangeResult<'retryWebhook'>): Effect {
  if (retried.outcome !== 'accepted') return 'refused'
  return retried.started ? 'changed' : 'unchanged'
}

/** Earlier acknowledgements stay valid. */
function ofAcknowledgement(acknowledged: ChangeResult<'acknowledge'>): Effect {
  if (acknowledged.outcome !== 'acknowledged') return 'refused'
  return acknowledged.moved ? 'changed' : 'unchanged'
}

/** One that had ended stays as it was. */
function ofCancel(canceled: ChangeResult<'cancelReplay'>): Effect {
  if (canceled === null) return 'refused'
  return canceled.changed ? 'changed' : 'unchanged'
}

function ofUpdate(result: { readonly changed: boolean } | null): Effect {
  if (result === null) return 'refused'
  return result.changed ? 'changed' : 'unchanged'
}

/** Whether the call gets an audit entry. */
export function hasEffect<N extends ChangeName>(call: N, result: ChangeResult<N>): boolean {
  return EFFECTS[call](result) === 'changed'
}

/** Whether a repeat under the same idempotency key is answered with this result and not tried again. */
export function isRemembered<N extends ChangeName>(call: N, result: ChangeResult<N>): boolean {
  return EFFECTS[call](result) !== 'refused'
}

/** The result as a repeat gets it: deliveries that the first call leased to a node are left out. */
export function toRemember<N extends ChangeName>(call: N, result: ChangeResult<N>): unknown {
  if (call !== 'publish') return result
  return (result as ChangeResult<'publish'>).map((one) =>
    one.outcome === 'accepted' ? { ...one, leased: [], unleased: [] } : one,
  )
}

/** The member that represents bytes. Other names that begin with `$` get an additional `$` in front. */
const BYTES = '$bytes'

/** Writes a result as JSON, in which bytes are base64 in an object `{"$bytes": …}`. */
export function resultToText(result: unknown): string {
  return JSON.stringify(encode(result))
}

/** @param text from {@link resultToText} */
export function resultFromText(text: string): unknown {
  return decode(JSON.parse(text))
}

function encode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return { [BYTES]: base64Of(value) }
  return Array.isArray(value) ? value.map(encode) : mapMembers(value, escapeName, encode)
}

function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(decode)
  const bytes = (value as Record<string, unknown>)[BYTES]
  // A copy, since small buffers are views of one that they share.
  if (bytes !== undefined) return Uint8Array.from(Buffer.from(bytes as string, 'base64'))
  return mapMembers(value, unescapeName, decode)
}

function mapMembers(
  value: object,
  name: (name: string) => string,
  member: (value: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [name(key), member(inner)]))
}

const escapeName = (name: string): string => (name.startsWith('$') ? `$${name}` : name)
const unescapeName = (name: string): string => (name.startsWith('$') ? name.slice(1) : name)

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
