// The audit log of both services and of operators, under one set of names.

export interface AuditEntry {
  /** ISO 8601. */
  readonly at: string
  readonly action: string
  readonly actor: { readonly type: string; readonly id: string | null; readonly sessionId: string | null }
  readonly workspaceId: string
  readonly target: { readonly type: string; readonly id: string }
  readonly details: Readonly<Record<string, unknown>>
  /** `null`: no request did it. */
  readonly requestId: string | null
}
