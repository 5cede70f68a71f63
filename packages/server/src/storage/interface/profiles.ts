/** A profile in the store. Its document is read separately: it may have 2 MB. */
export interface StoredProfile {
  readonly name: string
  /** Counts up from 1 with each change, even after a removal. */
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** One earlier version of a profile. */
export interface ProfileVersion {
  readonly version: number
  readonly madeAt: number
}

export interface ProfileReads {
  /** Grows with every change of any profile. */
  readProfilesState(params: Record<string, never>): Promise<number>
  /** All existing profiles, by name. */
  listProfiles(params: Record<string, never>): Promise<readonly StoredProfile[]>
  /** The document of a version, as JSON text, also of a removed profile; `null`: it is not kept. */
  getProfileDocument(params: { name: string; version: number }): Promise<string | null>
  /** Versions that are kept, newest first. */
  listProfileVersions(params: { name: string }): Promise<readonly ProfileVersion[]>
}

/** Maximum number of services in the store. */
export const MAX_PROFILES = 200

type PutProfileOutcome =
  | { readonly outcome: 'put'; readonly profile: StoredProfile }
  /** It was changed in the meantime, or exists already; `null`: it does not exist. */
  | { readonly outcome: 'other_version'; readonly version: number | null }
  | { readonly outcome: 'too_many' }

type RemoveProfileOutcome =
  | { readonly outcome: 'removed' }
  | { readonly outcome: 'not_found' }
  /** @property workspaces slugs of some that use it */
  | { readonly outcome: 'in_use'; readonly workspaces: readonly string[] }

/** Belongs to no workspace; the operators' audit log records these changes. */
export interface ProfileChanges {
  /**
   * Adds a profile or replaces it.
   * @param params.version the version that is replaced; `null`: it is new
   * @param params.keepSince Unix ms; versions that were replaced before are deleted: all requests that were sent under them are
   *   gone
   */
  putProfile(params: {
    name: string
    version: number | null
    document: string
    keepSince: number
    now: number
  }): Promise<PutProfileOutcome>
  /** Its versions stay, since requests in the log were sent under them. */
  removeProfile(params: { name: string; now: number }): Promise<RemoveProfileOutcome>
}
