import type { ApiKey, Member, Role, Session, SignInLink, Workspace } from '../rows.ts'
import type { Page } from './page.ts'

/** Workspaces, and who has access to them. */
export interface AccountReads {
  /**
   * @param ref public id or slug; @param dialects the workspace must have one of these; `null`: any. A slug that two of them
   *   use matches none
   */
  getWorkspace(params: { ref: string; dialects: readonly string[] | null }): Promise<Workspace | null>
  listWorkspaces(params: Page): Promise<readonly Workspace[]>
  getMember(params: { workspaceId: number; publicId: string }): Promise<Member | null>
  getMemberById(params: { workspaceId: number; memberId: number }): Promise<Member | null>
  listMembers(params: { workspaceId: number } & Page): Promise<readonly Member[]>
  getKey(params: { workspaceId: number; publicId: string }): Promise<ApiKey | null>
  listKeys(params: { workspaceId: number } & Page): Promise<readonly ApiKey[]>
}

export interface AccountChanges {
  /**
   * @param params.isStored whether the profile is one that the store holds
   * @returns `null` when another workspace of the dialect has the slug, or that profile was removed
   */
  createWorkspace(params: {
    publicId: string
    dialect: string
    isStored?: boolean
    slug: string
    name: string
    now: number
  }): Promise<Workspace | null>
  /** @returns the webhooks whose status changed; `null` when the workspace does not exist or had this state already. */
  suspendWorkspace(params: {
    workspaceId: number
    suspended: boolean
    now: number
  }): Promise<readonly number[] | null>
  /**
   * Ends the sessions of its members, as deleting them one by one would.
   * @returns the webhooks that were deleted with it; `null` when it was already deleted.
   */
  deleteWorkspace(params: { workspaceId: number; now: number }): Promise<readonly number[] | null>

  /**
   * A member that the identity provider's claims created becomes one that people created, and keeps its id.
   * @returns `null` when the workspace does not exist or people created a member with that address, ignoring case
   */
  createMember(params: {
    publicId: string
    workspaceId: number
    email: string
    name: string
    role: Role
    now: number
  }): Promise<Member | null>
  /** Members that `changes` omits stay unchanged. */
  updateMember(params: {
    workspaceId: number
    publicId: string
    changes: { readonly name?: string; readonly role?: Role }
  }): Promise<{ readonly member: Member; readonly changed: boolean } | null>
  /**
   * Ends the member's sessions, and those of the address if it belongs to no other member or operator. Keys that were created
   * for the member stay, without a member.
   */
  deleteMember(params: { workspaceId: number; publicId: string; now: number }): Promise<boolean>

  /** @returns `null` when the workspace or the member does not exist. */
  createKey(params: {
    publicId: string
    workspaceId: number
    memberId: number | null
    name: string
    scopes: readonly string[]
    hash: Uint8Array
    expiresAt: number | null
    now: number
  }): Promise<ApiKey | null>
  /** @returns false when there is no such key, or it was already revoked. */
  revokeKey(params: { workspaceId: number; publicId: string; now: number }): Promise<boolean>

  /** @returns `null` when the workspace or the member does not exist, or the member comes from the identity provider. */
  createSession(params: {
    publicId: string
    workspaceId: number
    memberId: number
    hash: Uint8Array
    expiresAt: number
    now: number
  }): Promise<Session | null>
  /** @returns false when it had already ended. */
  deleteSession(params: { sessionId: number }): Promise<boolean>
  /**
   * Ends all sessions of a member and invalidates the member's unused links.
   * @param ofAddress also ends browser sessions of the member's address, and invalidates its links
   * @returns how many sessions.
   */
  deleteSessions(params: {
    workspaceId: number
    memberId: number
    ofAddress: boolean
    now: number
  }): Promise<number>
  /** @returns `null` when the workspace or the member does not exist, or the member comes from the identity provider. */
  createPortalLink(params: {
    workspaceId: number
    memberId: number
    hash: Uint8Array
    expiresAt: number
    now: number
  }): Promise<SignInLink | null>
}

/** Settings that concern only the member. */
export interface PreferenceChanges {
  updatePreferences(params: {
    workspaceId: number
    publicId: string
    changes: { readonly failingWarnings: boolean }
  }): Promise<{ readonly member: Member; readonly changed: boolean } | null>
}
