/** A profile that was added to the store. Its document is read on its own: it may have 2 MB. */
export interface StoredProfile {
  readonly name: string
  /** Counts up from 1 with each change, also over a removal. */
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** One version of a profile, as it was. */
export interface ProfileVersion {
  readonly version: number
  readonly madeAt: number
}

export interface ProfileReads {
  /** Grows with every change of any profile. */
  readProfilesState(params: Record<string, never>): Promise<number>
  /** All that are there, by name. */
  listProfiles(params: Record<string, never>): Promise<readonly StoredProfile[]>
  /** The document of a version, JSON as it was written, also of a profile that was removed; `null`: it is not kept. */
  getProfileDocument(params: { name: string; version: number }): Promise<string | null>
  /** Versions that are kept, newest first. */
  listProfileVersions(params: { name: string }): Promise<readonly ProfileVersion[]>
}

/** More services than these are never stored. */
export const MAX_PROFILES = 200

type PutProfileOutcome =
  | { readonly outcome: 'put'; readonly profile: StoredProfile }
  /** It was changed meanwhile, or is there already; `null`: it is not there. */
  | { readonly outcome: 'other_version'; readonly version: number | null }
  | { readonly outcome: 'too_many' }

type RemoveProfileOutcome =
  | { readonly outcome: 'removed' }
  | { readonly outcome: 'not_found' }
  /** @property workspaces slugs of some that use it */
  | { readonly outcome: 'in_use'; readonly workspaces: readonly string[] }

/** Of no workspace; the log of operators tells of them. */
export interface ProfileChanges {
  /**
   * Adds a profile or replaces it.
   * @param params.version the version that is replaced; `null`: it is new
   * @param params.keepSince Unix ms; versions that were replaced before are forgotten: nothing that was sent under them is kept
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
