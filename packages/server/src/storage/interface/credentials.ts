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

/** Who a browser's session is of, by what is true now. */
export interface SignedInBrowser {
  readonly session: BrowserSession
  /** The operator with the session's address. */
  readonly operator: Operator | null
  /** Of the members with the session's address, by the name of the workspace. */
  readonly memberships: readonly Membership[]
}

/** What authenticates requests. */
export interface CredentialVerbs {
  /** Also finds keys that were revoked or have run out: the caller judges. */
  findKey(params: {
    hash: Uint8Array
  }): Promise<{ readonly key: ApiKey; readonly workspace: Workspace } | null>
  touchKeys(params: { uses: readonly { readonly keyId: number; readonly at: number }[] }): Promise<void>
  /** Also finds tokens that were revoked or have expired: the caller judges. */
  findAdminToken(params: { hash: Uint8Array }): Promise<AdminToken | null>
  touchAdminTokens(params: {
    uses: readonly { readonly tokenId: number; readonly at: number }[]
  }): Promise<void>
  /** Also finds sessions that have run out: the caller judges. */
  findSession(params: { hash: Uint8Array }): Promise<{
    readonly session: Session
    readonly member: Member
    readonly workspace: Workspace
  } | null>
  /** Also finds sessions that have run out: the caller judges. */
  findBrowserSession(params: { hash: Uint8Array }): Promise<SignedInBrowser | null>
}
