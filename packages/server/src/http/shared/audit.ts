import type { Static } from 'typebox'
import { Type } from 'typebox'
import { AUDIT_ACTIONS, type AuditEntry, type Named, OPERATOR_ACTIONS } from '../../storage/auditRows.ts'
import type { Context } from './context.ts'
import { type CursorScope, readPage } from './pages.ts'
import { closed, nullable, oneOf, openObject, reference, time } from './schemas.ts'
import { isoTime } from './time.ts'
import type { Visibility } from './visibility.ts'

const ACTOR_TYPES = ['operator', 'key', 'member', 'system'] as const
const TARGET_TYPES = [
  'workspace',
  'member',
  'session',
  'key',
  'webhook',
  'replay',
  'recovery',
  'consumer',
] as const

const actorType = oneOf(
  ACTOR_TYPES,
  'The kind of actor: an operator, an API key, a signed-in member, or the service itself.',
)
const actorId = nullable(
  Type.String({
    description:
      'The key, the member, the operator or the named admin token; null for `POSTHORN_ADMIN_TOKEN` and the service.',
  }),
)
const actorName = nullable(
  Type.String({
    description:
      'Display name; null for `POSTHORN_ADMIN_TOKEN`, the service and deleted actors, and for operators in the log of a workspace.',
  }),
)
const sessionId = nullable(
  Type.String({ description: 'The session of the member or the operator. Null for other actors.' }),
)
const details = openObject('Further details, such as the names of the changed members.')
const requestId = nullable(Type.String({ description: 'The `X-Request-Id` of the request.' }))

/** @param target the kinds of objects in entries */
function entrySchema<Action extends string, Target extends string>(
  actions: readonly Action[],
  targets: readonly Target[],
) {
  return {
    at: time('The time of the action.'),
    action: oneOf(actions, 'The action.'),
    actor: closed(
      { type: actorType, id: actorId, name: actorName, session_id: sessionId },
      { description: 'The actor.' },
    ),
    workspace_id: Type.String({ description: 'The workspace.' }),
    workspace_name: nullable(Type.String({ description: 'Display name; null: it was deleted.' })),
    target: closed(
      {
        type: oneOf(targets, 'The kind of object.'),
        id: Type.String({ description: 'Its id.' }),
        name: nullable(
          Type.String({
            description:
              'Display name: for a webhook the description or, without one, the visible part of the URL; for a session its member. Null: it has no name, or was deleted.',
          }),
        ),
      },
      { description: 'The changed object.' },
    ),
    details,
    request_id: requestId,
  }
}

export const AuditEntrySchema = closed(entrySchema(AUDIT_ACTIONS, TARGET_TYPES), { title: 'AuditEntry' })

/** In the form for operators, including entries without a workspace. */
export const OperatorsAuditEntrySchema = closed(
  {
    ...entrySchema([...AUDIT_ACTIONS, ...OPERATOR_ACTIONS], [...TARGET_TYPES, 'service', 'admin_token']),
    workspace_id: nullable(Type.String({ description: 'The workspace; null: none.' })),
  },
  { title: 'AuditEntry' },
)

export function auditJson({ entry, names }: NamedEntry): Static<typeof OperatorsAuditEntrySchema> {
  const { at, action, actor, workspacePublicId, target, details, requestId } = entry
  return {
    at: isoTime(at),
    action,
    actor: { type: actor.type, id: actor.id, name: names.actor, session_id: actor.sessionId },
    workspace_id: workspacePublicId === '' ? null : workspacePublicId,
    workspace_name: names.workspace,
    target: { ...target, name: names.target },
    details,
    request_id: requestId,
  }
}

/** Query parameter that filters the log. */
export const targetQuery = Type.Optional(
  reference('Only entries about this object: the id of a webhook, key, member and so on.'),
)

/** An entry, with the present names of its objects. */
interface NamedEntry {
  readonly entry: AuditEntry
  readonly names: {
    readonly actor: string | null
    readonly target: string | null
    readonly workspace: string | null
  }
}

/**
 * Reads one page of the audit log, newest first. Customers do not see who operates the service: in the log of a workspace
 * operators have no name.
 * @param of public id of a workspace, or of all workspaces, for operators
 */
export async function readAudit(
  ctx: Context,
  scope: CursorScope,
  query: { readonly limit?: number; readonly cursor?: string; readonly target?: string },
  of: {
    readonly workspacePublicId: string | null
    readonly forOperators: boolean
    readonly visibility: Visibility
  },
): Promise<{ readonly rows: readonly NamedEntry[]; readonly nextCursor: string | null }> {
  const filter = { workspacePublicId: of.workspacePublicId, targetId: query.target ?? null }
  const page = await readPage(ctx, scope, query, (range) =>
    ctx.storage.audit.listAudit({ ...filter, ...range }),
  )
  const named = await ctx.storage.audit.namesOf({ publicIds: [...new Set(page.rows.flatMap(idsIn))] })
  const names = new Map(named.map((one) => [one.publicId, shownName(of.visibility, one)]))
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null))
  const namedRow = (entry: AuditEntry): NamedEntry => ({
    entry,
    names: {
      actor: entry.actor.type === 'operator' && !of.forOperators ? null : nameOf(entry.actor.id),
      target: nameOf(namedIdOf(entry)),
      workspace: nameOf(entry.workspacePublicId),
    },
  })
  return { rows: page.rows.map(namedRow), nextCursor: page.nextCursor }
}

const shownName = ({ url }: Visibility, { name, webhook }: Named): string =>
  webhook === null || name !== '' ? name : url(webhook.url, webhook.createdBy)

const idsIn = (entry: AuditEntry) =>
  [entry.actor.id, namedIdOf(entry), entry.workspacePublicId].filter((id) => id !== null)

/** A session is identified by its member. */
const namedIdOf = ({ target, details: { member } }: AuditEntry): string =>
  target.type === 'session' && typeof member === 'string' ? member : target.id
