import type { AuditActor } from '../../storage/auditRows.ts'
import type { Creator, Member, Role, Workspace } from '../../storage/rows.ts'
import type { Identity } from './credentials.ts'
import type { Visibility } from './visibility.ts'

/** The caller, and its workspace. */
export interface Caller {
  readonly workspace: Workspace
  /** Recorded as the creator of what the caller creates; `null` for operators, who create nothing in workspaces. */
  readonly creator: Creator | null
  readonly actor: AuditActor
  /** Of the signed-in member, or of the member the key was created for; `null`: of neither. */
  readonly role: Role | null
  /** The signed-in person; `null`: a key or an operator. */
  readonly member: Member | null
  readonly visibility: Visibility
}

/** Who is signed in, as opposed to a key. */
export type SignedIn = Exclude<Identity, { readonly kind: 'key' }>

/** Who may use a route. */
export interface Rights {
  /** The scopes that a key needs; `null`: keys are not allowed. */
  readonly scopes: readonly string[] | null
  /**
   * Which signed-in members are allowed: all, only owners, or none since only services do this. `owners-and-keys` allows
   * owners and keys that were created for an owner. Operators can read everything that members can.
   */
  readonly members: 'all' | 'owners' | 'owners-and-keys' | 'none'
  /** Whether operators may do this in a workspace of a customer, with an entry in the audit log. */
  readonly operators?: boolean
}

export interface Access {
  /** Of the services whose callers the route knows; `null`: it knows those of all. */
  readonly layout: 'workspace' | 'flat' | null
  /** The scopes by service, if services differ. */
  readonly rights: Rights | ((workspace: Workspace) => Rights)
}
