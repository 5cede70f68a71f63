// Entries of the audit logs of services and of the admin API, with common names.

import { withoutScheme } from './webhook.ts'

/** The target of an entry. */
export interface AuditedThing {
  readonly type: string
  readonly id: string
  /** `null`: it has none, or was deleted. */
  readonly name: string | null
}

/** Name of a target. Webhooks without a description are named by their URL. */
export const nameText = ({ type, name }: AuditedThing): string | null =>
  name !== null && type === 'webhook' ? withoutScheme(name) : name

/** Whether the actor is a named admin token. */
export const isAdminToken = ({ id }: Pick<AuditEntry['actor'], 'id'>): boolean =>
  id?.startsWith('adt_') === true

export interface AuditEntry {
  /** ISO 8601. */
  readonly at: string
  readonly action: string
  readonly actor: {
    readonly type: string
    readonly id: string | null
    readonly name: string | null
    readonly sessionId: string | null
  }
  /** `null`: it does not concern a workspace. */
  readonly workspaceId: string | null
  readonly workspaceName: string | null
  readonly target: AuditedThing
  readonly details: Readonly<Record<string, unknown>>
  /** `null`: it was not caused by a request. */
  readonly requestId: string | null
}
