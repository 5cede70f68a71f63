import type { ApiKey, Member, Role, Session, SignInLink, Workspace } from '../rows.ts'
import type { Page } from './page.ts'

/** Workspaces, and who may act in them. */
export interface AccountReads {
  /** @param ref public id or slug; @param dialects of which it may be; `null`: of any. A slug that two of them use names none */
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
  /** @returns the webhooks whose status this changed; `null` when it was so before or the workspace is gone. */
  suspendWorkspace(params: {
    workspaceId: number
    suspended: boolean
    now: number
  }): Promise<readonly number[] | null>
  /**
   * The sessions of its members end, as when they are deleted one by one.
   * @returns the webhooks that went with it; `null` when it was gone before.
   */
  deleteWorkspace(params: { workspaceId: number; now: number }): Promise<readonly number[] | null>

  /**
   * A member that claims of the identity provider gave becomes one that people made, and keeps its id.
   * @returns `null` when the workspace is gone or people made a member with that address, in whatever case
   */
  createMember(params: {
    publicId: string
    workspaceId: number
    email: string
    name: string
    role: Role
    now: number
  }): Promise<Member | null>
  /** Absent members of `changes` stay. */
  updateMember(params: {
    workspaceId: number
    publicId: string
    changes: { readonly name?: string; readonly role?: Role }
  }): Promise<{ readonly member: Member; readonly changed: boolean } | null>
  /**
   * Ends the member's sessions; and those of the address, if it has no other member and no operator. Keys that were made for
   * the member stay, without a member.
   */
  deleteMember(params: { workspaceId: number; publicId: string; now: number }): Promise<boolean>

  /** @returns `null` when the workspace or the member is gone. */
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
  /** @returns false when there is no such key, or it was revoked before. */
  revokeKey(params: { workspaceId: number; publicId: string; now: number }): Promise<boolean>

  /** @returns `null` when the workspace or the member is gone, or the member is one that the identity provider gave. */
  createSession(params: {
    publicId: string
    workspaceId: number
    memberId: number
    hash: Uint8Array
    expiresAt: number
    now: number
  }): Promise<Session | null>
  /** @returns false when it had ended. */
  deleteSession(params: { sessionId: number }): Promise<boolean>
  /**
   * Ends all sessions of a member, and uses up the links that are open for the member.
   * @param ofAddress also ends those of browsers that are signed in with the member's address, and uses up its links
   * @returns how many sessions.
   */
  deleteSessions(params: {
    workspaceId: number
    memberId: number
    ofAddress: boolean
    now: number
  }): Promise<number>
  /** @returns `null` when the workspace or the member is gone, or the member is one that the identity provider gave. */
  createPortalLink(params: {
    workspaceId: number
    memberId: number
    hash: Uint8Array
    expiresAt: number
    now: number
  }): Promise<SignInLink | null>
}

/** What concerns the member alone. */
export interface PreferenceChanges {
  updatePreferences(params: {
    workspaceId: number
    publicId: string
    changes: { readonly failingWarnings: boolean }
  }): Promise<{ readonly member: Member; readonly changed: boolean } | null>
}
