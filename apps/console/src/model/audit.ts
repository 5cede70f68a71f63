// The audit log of services and of operators, under one set of names.

import { withoutScheme } from './webhook.ts'

/** Something that an entry names. */
export interface AuditedThing {
  readonly type: string
  readonly id: string
  /** `null`: it has none, or is gone. */
  readonly name: string | null
}

/** What it is called here: of webhooks without a description, where they are. */
export const nameText = ({ type, name }: AuditedThing): string | null =>
  name !== null && type === 'webhook' ? withoutScheme(name) : name

/** Whether it is an admin token that an operator made, and no person. */
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
  /** `null`: it is about no workspace. */
  readonly workspaceId: string | null
  readonly workspaceName: string | null
  readonly target: AuditedThing
  readonly details: Readonly<Record<string, unknown>>
  /** `null`: no request did it. */
  readonly requestId: string | null
}
