import type { Static } from 'typebox'
import { Type } from 'typebox'
import { AUDIT_ACTIONS, type AuditEntry } from '../../storage/rows.ts'
import type { Context } from './context.ts'
import { type CursorScope, readPage } from './pages.ts'
import { closed, nullable, oneOf, openObject, time } from './schemas.ts'
import { isoTime } from './time.ts'

const ACTOR_TYPES = ['operator', 'key', 'member', 'system'] as const
const TARGET_TYPES = ['workspace', 'member', 'session', 'key', 'webhook', 'replay'] as const

const action = oneOf(AUDIT_ACTIONS, 'What was done.')
const actorType = oneOf(
  ACTOR_TYPES,
  'Who did it: an operator, an API key, a signed-in member, or the service by its own rules.',
)
const actorId = nullable(
  Type.String({
    description: 'The key, the member or the operator; null for the admin token and the service.',
  }),
)
const sessionId = nullable(
  Type.String({ description: 'The session of the member or the operator; null for the others.' }),
)
const target = closed(
  {
    type: oneOf(TARGET_TYPES, 'What kind of thing it is.'),
    id: Type.String({ description: 'Its id.' }),
  },
  { description: 'What was changed.' },
)
const details = openObject('What is worth knowing besides, such as the names of the changed members.')
const requestId = nullable(Type.String({ description: 'The `X-Request-Id` of the request that did it.' }))

/** An entry in the style of the content service and of provisioning. */
export const AuditEntrySchema = closed(
  {
    at: time('When it was done.'),
    action,
    actor: closed({ type: actorType, id: actorId, session_id: sessionId }, { description: 'Who did it.' }),
    workspace_id: Type.String({ description: 'The workspace that it was done in.' }),
    target,
    details,
    request_id: requestId,
  },
  { title: 'AuditEntry' },
)

/** An entry in the style of the advertising platform. */
export const AdsAuditEntrySchema = closed(
  {
    at: time('When it was done.'),
    action,
    actor: closed({ type: actorType, id: actorId, sessionId }, { description: 'Who did it.' }),
    workspaceId: Type.String({ description: 'The workspace that it was done in.' }),
    target,
    details,
    requestId,
  },
  { title: 'AuditEntry' },
)

export function auditJson(entry: AuditEntry): Static<typeof AuditEntrySchema> {
  const { at, action, actor, workspacePublicId, target, details, requestId } = entry
  return {
    at: isoTime(at),
    action,
    actor: { type: actor.type, id: actor.id, session_id: actor.sessionId },
    workspace_id: workspacePublicId,
    target: { ...target },
    details,
    request_id: requestId,
  }
}

export function adsAuditJson(entry: AuditEntry): Static<typeof AdsAuditEntrySchema> {
  const { at, action, actor, workspacePublicId, target, details, requestId } = entry
  return {
    at: isoTime(at),
    action,
    actor: { ...actor },
    workspaceId: workspacePublicId,
    target: { ...target },
    details,
    requestId,
  }
}

/** Query parameter that narrows the log down. */
export const targetQuery = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'The id of a webhook, key, member…: only what was done to it.',
  }),
)

/** Reads one page of the audit log, newest first. @param workspacePublicId `null`: of all workspaces */
export function readAudit(
  ctx: Context,
  scope: CursorScope,
  query: { readonly limit?: number; readonly cursor?: string; readonly target?: string },
  workspacePublicId: string | null,
) {
  const filter = { workspacePublicId, targetId: query.target ?? null }
  return readPage(ctx, scope, query, (page) => ctx.storage.listAudit({ ...filter, ...page }))
}
