import type { Webhook } from './rows.ts'

export const AUDIT_ACTIONS = [
  'workspace.created',
  'workspace.suspended',
  'workspace.resumed',
  'workspace.deleted',
  'member.created',
  'member.updated',
  'member.deleted',
  'member.signed_in',
  'member.signed_out',
  'member.portal_link_created',
  'member.sign_in_link_created',
  'session.created',
  'key.created',
  'key.revoked',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secret_rotated',
  'webhook.switched_off',
  'webhook.tested',
  'webhook.retried',
  'delivery.sent_again',
  'delivery.retried',
  'replay.created',
  'recovery.created',
  'recovery.canceled',
  'consumer.created',
  'consumer.moved',
  'consumer.deleted',
] as const

/** Actions of operators that concern no workspace. */
export const OPERATOR_ACTIONS = [
  'service.added',
  'service.updated',
  'service.removed',
  'admin_token.created',
  'admin_token.revoked',
] as const

/** The id and the name of an object. */
export interface Named {
  readonly publicId: string
  /** For a webhook its description, which may be empty. */
  readonly name: string
  /** `null`: another kind of object. */
  readonly webhook: Pick<Webhook, 'url' | 'createdBy'> | null
}

/** Who made a change: the operator, an API key, a signed-in member, or the service itself. */
export interface AuditActor {
  readonly type: 'operator' | 'key' | 'member' | 'system'
  /** Public id of the key, the member, the operator or the named admin token; `null` for `POSTHORN_ADMIN_TOKEN`. */
  readonly id: string | null
  /** Public id of the session of the member or the operator. */
  readonly sessionId: string | null
}

export interface AuditEntry {
  readonly id: number
  readonly at: number
  readonly action: (typeof AUDIT_ACTIONS)[number] | (typeof OPERATOR_ACTIONS)[number]
  readonly actor: AuditActor
  /** Empty: it concerns no workspace. */
  readonly workspacePublicId: string
  readonly target: {
    readonly type:
      | 'workspace'
      | 'member'
      | 'session'
      | 'key'
      | 'webhook'
      | 'replay'
      | 'recovery'
      | 'service'
      | 'admin_token'
      | 'consumer'
    readonly id: string
  }
  /** Useful details, such as the names of the changed members; never a secret. */
  readonly details: Readonly<Record<string, unknown>>
  /** `null` when no request caused it. */
  readonly requestId: string | null
}
