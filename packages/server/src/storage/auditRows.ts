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

/** What operators do that is about no workspace. */
export const OPERATOR_ACTIONS = [
  'service.added',
  'service.updated',
  'service.removed',
  'admin_token.created',
  'admin_token.revoked',
] as const

/** An id and what people call what has it. */
export interface Named {
  readonly publicId: string
  /** Of a webhook its description, which may be empty. */
  readonly name: string
  /** `null`: it is something else. */
  readonly webhook: Pick<Webhook, 'url' | 'createdBy'> | null
}

/** Who changed something: the operator, an API key, a signed-in member, or the service by its rules. */
export interface AuditActor {
  readonly type: 'operator' | 'key' | 'member' | 'system'
  /** Public id of the key, the member, the operator or the admin token that was made; `null` for the one that is set. */
  readonly id: string | null
  /** Public id of the session of the member or the operator. */
  readonly sessionId: string | null
}

export interface AuditEntry {
  readonly id: number
  readonly at: number
  readonly action: (typeof AUDIT_ACTIONS)[number] | (typeof OPERATOR_ACTIONS)[number]
  readonly actor: AuditActor
  /** Empty: it is about no workspace. */
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
  /** What is worth knowing besides, such as the names of the changed members; never a secret. */
  readonly details: Readonly<Record<string, unknown>>
  /** `null` when no request caused it. */
  readonly requestId: string | null
}
