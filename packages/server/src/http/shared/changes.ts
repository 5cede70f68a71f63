import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { FORMS } from '../../core/textForms.ts'
import type { By, IdempotencyKey } from '../../engine/engine.ts'
import { IDEMPOTENCY_MS } from '../../engine/maintenance/loops.ts'
import type { AuditActor, AuditEntry } from '../../storage/auditRows.ts'
import type { AuditOf, Changed, ChangeName, ChangeParams, IdempotencyRecord } from '../../storage/storage.ts'
import { fingerprintOf, slicedFingerprintOf } from './canonical.ts'
import type { Context } from './context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the operation reads the body; `null`: the schema of the route shows it. */
    takesBody: boolean | null
  }
}

/** The one that is set. */
export const ADMIN_TOKEN: AuditActor = { type: 'operator', id: null, sessionId: null }

/** Schema of the headers of a POST that creates something. */
export const idempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: FORMS.idempotencyKey.pattern,
      description:
        'A key that you choose, such as a UUID. For 24 hours, repeats of the request with this key get the first response and change nothing. A secret in the response is shown again for 10 minutes.',
    }),
  ),
})

/**
 * Makes a change for the caller, at most once under the request's Idempotency-Key. Call it only with validated input, since
 * validation limits the depth of the body.
 * @param workspacePublicId of the workspace in the path; default: that of the caller
 */
export async function changing<T>(
  ctx: Context,
  request: FastifyRequest,
  work: (by: By) => Promise<T>,
  workspacePublicId = request.caller?.workspace.publicId,
): Promise<T> {
  const by = byOf(request)
  const idempotency = await idempotencyKeyOf(ctx, request, by.actor, workspacePublicId)
  return idempotency === null
    ? work(by)
    : ctx.keysInUse.during(idempotency, () => work({ ...by, idempotency }))
}

/** For changes that may be repeated safely and need no Idempotency-Key. */
export const byOf = (request: FastifyRequest): By => ({
  actor: request.caller?.actor ?? request.operator ?? ADMIN_TOKEN,
  requestId: request.id,
  idempotency: null,
})

async function idempotencyKeyOf(
  ctx: Context,
  request: FastifyRequest,
  actor: AuditActor,
  workspacePublicId: string | undefined,
): Promise<IdempotencyKey | null> {
  const key = request.headers['idempotency-key']
  if (typeof key !== 'string' || request.method !== 'POST') return null
  const { url = '' } = request.routeOptions
  // A body that the route does not read requests nothing, and its depth is not bounded.
  const body = takesBody(request) ? request.body : null
  const params = request.params as { readonly ws?: string }
  // The id, since a slug may name another workspace by now than when the key was used first.
  const ws = params.ws === undefined ? {} : { ws: workspacePublicId ?? params.ws }
  const asked = [url, { ...params, ...ws }, request.query, body]
  return {
    scope: actor.id ?? actor.type,
    key,
    fingerprint:
      request.slice === null ? fingerprintOf(asked) : await slicedFingerprintOf(asked, request.slice),
    since: ctx.clock.now() - ctx.engine.clock.aheadMs - IDEMPOTENCY_MS,
  }
}

const takesBody = ({ routeOptions, takesBody }: FastifyRequest): boolean =>
  takesBody ?? routeOptions.schema?.body !== undefined

type ResponseData = Pick<IdempotencyRecord, 'responseData' | 'responseDataUntil'>
const NO_RESPONSE_DATA: ResponseData = { responseData: null, responseDataUntil: null }

interface Note {
  readonly workspacePublicId: string
  readonly action: AuditEntry['action']
  readonly target: AuditEntry['target']
  readonly details?: AuditEntry['details']
}

/** Audited changes have one. */
export type NoteOf<N extends ChangeName> = AuditOf<N> extends null ? null : Note

/**
 * Makes a change that only concerns the store, and adds its audit entry.
 * @param note `null`: there is no audit entry
 * @param responseData returned when the request is repeated under its Idempotency-Key
 */
export function changeInStore<N extends ChangeName>(
  ctx: Context,
  request: FastifyRequest,
  change: { readonly call: N; readonly params: ChangeParams<N> },
  note: NoteOf<N>,
  responseData: ResponseData = NO_RESPONSE_DATA,
): Promise<Changed<N>> {
  const work = ({ actor, requestId, idempotency }: By) =>
    ctx.storage.change({
      ...change,
      audit: (note === null ? null : { details: {}, ...note, actor, requestId }) as AuditOf<N>,
      idempotency: idempotency === null ? null : { ...idempotency, ...responseData },
      now: ctx.clock.now(),
    })
  return changing(ctx, request, work, (note as Note | null)?.workspacePublicId)
}
