import type { AuditActor } from '../auditRows.ts'
import type { BrowserSession, Member, Operator, Role, Session, SignInLink, Workspace } from '../rows.ts'
import type { LimitState, ManualSendLimit } from './manualSends.ts'
import type { SignInNotice } from './notifications.ts'
import type { Page } from './page.ts'

/** A session to create, and the request that it comes from. */
interface NewSession {
  readonly publicId: string
  readonly hash: Uint8Array
  readonly expiresAt: number
}

/** Who creates a link for another person. */
interface LinkMaker {
  readonly actor: AuditActor
  readonly requestId: string
}

/** The result of a sign-in by the identity provider. */
export interface ProviderSignIn {
  /** `null`: the address has no rights at all. */
  readonly session: BrowserSession | null
  /** `null`: the operator role of the address stays unchanged. */
  readonly operatorChange: { readonly change: 'added' | 'removed'; readonly publicId: string } | null
}

/** In no workspace, or in several, whose audit logs record it. */
export interface SignInChanges {
  /**
   * An operator that the identity provider's claims created becomes one that people created, and keeps its id.
   * @returns `null` when people created another operator with the address, ignoring case
   */
  createOperator(params: {
    publicId: string
    email: string
    name: string
    now: number
  }): Promise<Operator | null>
  /**
   * Stores a link. A link to be e-mailed is counted whether or not the address is known, so that the limit does not reveal
   * which addresses are. A link that a person created for another gets an audit entry in all workspaces that it opens.
   * @param madeBy `null`: a person requested it, who gets it only if the address is theirs
   * @param limit on requested links for one address; `null`: none
   * @param notice the e-mail that contains it; `null`: none is sent
   */
  createSignInLink(params: {
    madeBy: LinkMaker | null
    email: string
    hash: Uint8Array
    limit: ManualSendLimit | null
    notice: Pick<SignInNotice, 'toEmail' | 'sealed'> | null
    expiresAt: number
    now: number
  }): Promise<
    | { readonly outcome: 'created'; readonly link: SignInLink }
    | { readonly outcome: 'rate_limited'; readonly limit: LimitState }
  >
}

/** Operators, and how they and members sign in to the console. */
export interface SignInCalls {
  listOperators(params: Page): Promise<readonly Operator[]>
  /**
   * Ends the browser sessions of their address, for any member or operator, and invalidates its sign-in links. Portal sessions
   * and portal links of members stay.
   * @returns false when there is no such operator
   */
  deleteOperator(params: { publicId: string; now: number }): Promise<boolean>

  /**
   * Finds the operator with an address, or else its oldest member, ignoring case. The result has their spelling. Operators and
   * members that the identity provider's claims created are left out.
   */
  findAddressee(params: {
    email: string
  }): Promise<{ readonly publicId: string; readonly email: string; readonly name: string } | null>
  /** Also finds used and expired links: the caller judges. Only portal links have the member. */
  findSignInLink(params: { hash: Uint8Array }): Promise<{
    readonly link: SignInLink
    readonly member: Member | null
    readonly workspace: Workspace | null
  } | null>
  /**
   * Uses a link for an address, and records it in the audit log of all workspaces that the person is a member of.
   * @returns `null` when it was used or has expired, or no person has the address.
   */
  signIn(params: {
    linkHash: Uint8Array
    session: NewSession
    now: number
    requestId: string
  }): Promise<BrowserSession | null>
  /**
   * Applies the identity provider's claims to an address: gives it the rights in the claims, takes away rights from earlier
   * claims, and starts a session. Members and operators that people created stay unchanged. Records all changes in the audit
   * logs of the workspaces.
   * @param operator the id of a new operator; `null`: the claims give none
   * @param members the rights in workspaces, each workspace once
   */
  signInByProvider(params: {
    email: string
    name: string
    operator: { readonly publicId: string } | null
    members: readonly {
      readonly workspaceId: number
      readonly workspacePublicId: string
      /** `null`: an existing member is kept, but none is created. */
      readonly publicId: string | null
      readonly role: Role
    }[]
    session: NewSession
    now: number
    requestId: string
  }): Promise<ProviderSignIn>
  /** Uses a portal link. @returns `null` when it was used or has expired, or the member does not exist. */
  signInToPortal(params: {
    linkHash: Uint8Array
    session: NewSession
    now: number
    requestId: string
  }): Promise<Session | null>
  /**
   * Uses a portal link in an existing browser session, and records it as a sign-in.
   * @returns false, with the link unchanged, when the link was used or has expired, or the session does not belong to the
   *   address of the link's member, has ended or ends before `until`
   */
  usePortalLinkIn(params: {
    linkHash: Uint8Array
    sessionId: number
    until: number
    now: number
    requestId: string
  }): Promise<boolean>

  /** For the admin token; sessions of addresses are created by links. */
  createBrowserSession(params: NewSession & { readonly now: number }): Promise<BrowserSession>
  /** Records it in the audit log of all workspaces that the person is a member of. @returns false when it had already ended. */
  endBrowserSession(params: { sessionId: number; now: number; requestId: string }): Promise<boolean>
  /**
   * Ends all sessions of an address, including those of its members, and invalidates its links. Records it in the audit log of
   * all workspaces that the person is a member of.
   * @returns how many
   */
  endBrowserSessions(params: { sessionId: number; now: number; requestId: string }): Promise<number>
}
