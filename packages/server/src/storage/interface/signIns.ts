import type { AuditActor } from '../auditRows.ts'
import type { BrowserSession, Member, Operator, Role, Session, SignInLink, Workspace } from '../rows.ts'
import type { LimitState, ManualSendLimit } from './manualSends.ts'
import type { SignInNotice } from './notifications.ts'
import type { Page } from './page.ts'

/** A session that is to be, and the request that it comes from. */
interface NewSession {
  readonly publicId: string
  readonly hash: Uint8Array
  readonly expiresAt: number
}

/** Who makes a link for somebody else. */
interface LinkMaker {
  readonly actor: AuditActor
  readonly requestId: string
}

/** What a sign-in by the identity provider did. */
export interface ProviderSignIn {
  /** `null`: the address has no right at all. */
  readonly session: BrowserSession | null
  /** `null`: what the address is as an operator stays as it was. */
  readonly operatorChange: { readonly change: 'added' | 'removed'; readonly publicId: string } | null
}

/** Of no workspace, or of several, whose logs tell of it. */
export interface SignInChanges {
  /**
   * An operator that claims of the identity provider gave becomes one that people made, and keeps its id.
   * @returns `null` when people made another operator with the address, in whatever case
   */
  createOperator(params: {
    publicId: string
    email: string
    name: string
    now: number
  }): Promise<Operator | null>
  /**
   * Stores a link. A link that is to be e-mailed is counted whether or not the address is known, so that the limit does not
   * reveal which addresses are. A link that somebody made gets an audit entry in all workspaces that it opens.
   * @param madeBy `null`: a person requested it, who gets it only if the address is theirs
   * @param limit on requested links for one address; `null`: none
   * @param notice the e-mail that brings it; `null`: none goes out
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
export interface SignInVerbs {
  listOperators(params: Page): Promise<readonly Operator[]>
  /**
   * The browser sessions of their address end, for any member or operator, and its sign-in links are used up. Portal sessions and
   * portal links of members stay.
   * @returns false when there is no such operator
   */
  deleteOperator(params: { publicId: string; now: number }): Promise<boolean>

  /**
   * Finds the operator with an address, or else its oldest member, regardless of case. The answer has their spelling. Those that claims
   * of the identity provider gave are left out.
   */
  findAddressee(params: {
    email: string
  }): Promise<{ readonly publicId: string; readonly email: string; readonly name: string } | null>
  /** Also finds links that were used or have run out: the caller judges. The member is there for portal links alone. */
  findSignInLink(params: { hash: Uint8Array }): Promise<{
    readonly link: SignInLink
    readonly member: Member | null
    readonly workspace: Workspace | null
  } | null>
  /**
   * Uses up a link for an address, and notes it in the audit log of all workspaces that the person is a member of.
   * @returns `null` when it was used before or has expired, or no person has the address.
   */
  signIn(params: {
    linkHash: Uint8Array
    session: NewSession
    now: number
    requestId: string
  }): Promise<BrowserSession | null>
  /**
   * Creates, changes and removes the members and the operator that claims of the identity provider give an address, and begins a
   * session. Members and operators that people made stay as they are. Each change is in the audit logs of the workspaces.
   * @param operator the id of a new operator; `null`: the claims give none
   * @param members what the claims give in workspaces, each of them once
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
  /** Uses up a portal link. @returns `null` when it was used before or has run out, or the member is gone. */
  signInToPortal(params: {
    linkHash: Uint8Array
    session: NewSession
    now: number
    requestId: string
  }): Promise<Session | null>
  /**
   * Uses up a portal link in a browser session that goes on, and notes it as a sign-in to this.
   * @returns false, with the link as it was, when it was used before or has run out, or the session is not of the address of
   * the link's member, has ended or ends before `until`
   */
  usePortalLinkIn(params: {
    linkHash: Uint8Array
    sessionId: number
    until: number
    now: number
    requestId: string
  }): Promise<boolean>

  /** For the admin token; those of addresses are made by links. */
  createBrowserSession(params: NewSession & { readonly now: number }): Promise<BrowserSession>
  /** Notes it in the audit log of all workspaces that the person is a member of. @returns false when it had ended. */
  endBrowserSession(params: { sessionId: number; now: number; requestId: string }): Promise<boolean>
  /**
   * Ends all sessions of an address, those of its members among them, and uses up its links. Notes it in the audit log of all
   * workspaces that the person is a member of.
   * @returns how many
   */
  endBrowserSessions(params: { sessionId: number; now: number; requestId: string }): Promise<number>
}
