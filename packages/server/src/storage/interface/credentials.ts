import type {
  AdminToken,
  ApiKey,
  BrowserSession,
  Member,
  Membership,
  Operator,
  Session,
  Workspace,
} from '../rows.ts'

/** The present rights of a browser session. */
export interface SignedInBrowser {
  readonly session: BrowserSession
  /** The operator with the session's address. */
  readonly operator: Operator | null
  /** The members with the session's address, by the name of the workspace. */
  readonly memberships: readonly Membership[]
}

/** Looks up credentials of requests. */
export interface CredentialCalls {
  /** Also finds revoked and expired keys: the caller judges. */
  findKey(params: {
    hash: Uint8Array
  }): Promise<{ readonly key: ApiKey; readonly workspace: Workspace } | null>
  touchKeys(params: { uses: readonly { readonly keyId: number; readonly at: number }[] }): Promise<void>
  /** Also finds revoked and expired tokens: the caller judges. */
  findAdminToken(params: { hash: Uint8Array }): Promise<AdminToken | null>
  touchAdminTokens(params: {
    uses: readonly { readonly tokenId: number; readonly at: number }[]
  }): Promise<void>
  /** Also finds expired sessions: the caller judges. */
  findSession(params: { hash: Uint8Array }): Promise<{
    readonly session: Session
    readonly member: Member
    readonly workspace: Workspace
  } | null>
  /** Also finds expired sessions: the caller judges. */
  findBrowserSession(params: { hash: Uint8Array }): Promise<SignedInBrowser | null>
}
