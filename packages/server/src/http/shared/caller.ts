import type { AuditActor } from '../../storage/auditRows.ts'
import type { Creator, Member, Role, Workspace } from '../../storage/rows.ts'
import type { Identity } from './credentials.ts'
import type { Visibility } from './visibility.ts'

/** Who asks, and for which workspace. */
export interface Caller {
  readonly workspace: Workspace
  /** Recorded as the creator of what the caller creates; `null` for operators, who create nothing in workspaces. */
  readonly creator: Creator | null
  readonly actor: AuditActor
  /** Of the signed-in member, or of the member the key was created for; `null`: of neither. */
  readonly role: Role | null
  /** Who is signed in; `null`: a key or an operator asks. */
  readonly member: Member | null
  readonly visibility: Visibility
}

/** Who is signed in, as opposed to a key. */
export type SignedIn = Exclude<Identity, { readonly kind: 'key' }>

/** Who may do what a route does. */
export interface Rights {
  /** What a key must be allowed; `null`: no key is let in, since only people do this. */
  readonly scopes: readonly string[] | null
  /**
   * Which signed-in members are let in: every one, owners alone, or none since only services do this. `owners-and-keys`
   * lets in owners alone and, of keys, those made for an owner. Operators read what every member does.
   */
  readonly members: 'all' | 'owners' | 'owners-and-keys' | 'none'
  /** Whether operators who look into a workspace may do it for the customer. Then it leaves an entry in the audit log. */
  readonly operators?: boolean
}

export interface Access {
  /** Of the services whose callers the route knows; `null`: it knows those of all. */
  readonly layout: 'workspace' | 'flat' | null
  /** Where it is left to the service, by the workspace. */
  readonly rights: Rights | ((workspace: Workspace) => Rights)
}
