import type { Clock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { FailureLog } from '../engine/log/failureLog.ts'
import type { Logger } from '../engine/log/logger.ts'
import { Loop } from '../engine/loop.ts'
import { checkProfile } from '../profiles/check.ts'
import { type ServedProfile, type ServiceSettings, serviceOf } from '../profiles/compile.ts'
import type { Profile } from '../profiles/profile.ts'
import type { Storage, StoredProfile } from '../storage/storage.ts'
import type { InputError } from '../validation/inputErrors.ts'

/** How soon a node hears of what another one changed. */
const LOOK_EVERY_MS = 2 * SECOND_MS
/** Earlier versions that are kept in memory for the log. */
const MOST_EARLIER = 32

/** A service that an operator added. */
export interface StoredService extends StoredProfile {
  /** Weak choices in its profile. */
  readonly warnings: readonly InputError[]
}

interface RegistryParams {
  readonly storage: Pick<Storage['profiles'], 'readProfilesState' | 'listProfiles' | 'getProfileDocument'>
  readonly builtIn: readonly Profile[]
  /** What the operator sets beside a profile. */
  readonly settingsOf: (profile: Profile) => ServiceSettings
  readonly clock: Clock
  readonly log: Logger
  readonly failureLog: FailureLog
}

/** The services of this node: those that are built in, and those that operators add to the store, which come and go. */
export class ServiceRegistry {
  readonly #params: RegistryParams
  readonly #served = new Map<string, ServedProfile>()
  readonly #stored = new Map<string, StoredService>()
  readonly #earlier = new Map<string, Promise<ServedProfile | null>>()
  readonly #listeners: (() => void)[] = []
  readonly #loop: Loop
  /** Of the store, when it was last read; -1: it was not. */
  #state = -1
  #refreshing: Promise<void> | null = null

  constructor(params: RegistryParams) {
    this.#params = params
    for (const profile of params.builtIn) this.#served.set(profile.name, this.#compile(profile, 0))
    this.#loop = new Loop({
      name: 'reading services',
      clock: params.clock,
      failureLog: params.failureLog,
      intervalMs: LOOK_EVERY_MS,
      work: async () => {
        await this.refresh()
        return null
      },
    })
  }

  /** By name, as they are now: an entry is replaced when its profile changes. */
  get served(): ReadonlyMap<string, ServedProfile> {
    return this.#served
  }

  /** What operators added, by name. */
  get stored(): ReadonlyMap<string, StoredService> {
    return this.#stored
  }

  /** @param listener called after any service came, changed or went */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Reads the services, and goes on looking for changes. */
  async start(): Promise<void> {
    await this.refresh()
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Resolves once this node knows what the store holds now. */
  async refresh(): Promise<void> {
    // What is under way may have looked too early.
    await this.#refreshing
    this.#refreshing ??= this.#read().finally(() => {
      this.#refreshing = null
    })
    await this.#refreshing
  }

  /** A version that something was sent under; `null`: it is not kept. */
  at(name: string, version: number): Promise<ServedProfile | null> {
    const key = `${name} ${version}`
    const known = this.#earlier.get(key)
    if (known !== undefined) return known
    const read = this.#readVersion(name, version)
    if (this.#earlier.size >= MOST_EARLIER) this.#earlier.delete(this.#earlier.keys().next().value!)
    this.#earlier.set(key, read)
    read.catch(() => this.#earlier.delete(key))
    return read
  }

  async #readVersion(name: string, version: number): Promise<ServedProfile | null> {
    const document = await this.#params.storage.getProfileDocument({ name, version })
    const profile = document === null ? null : checkProfile(JSON.parse(document)).profile
    return profile === null ? null : this.#compile(profile, version)
  }

  async #read(): Promise<void> {
    const { storage } = this.#params
    const state = await storage.readProfilesState({})
    if (state === this.#state) return
    const found = await storage.listProfiles({})
    const isNew = found.filter(({ name, version }) => this.#stored.get(name)?.version !== version)
    const documents: (string | null)[] = []
    for (const profile of isNew) documents.push(await storage.getProfileDocument(profile))
    const names = new Set(found.map(({ name }) => name))
    const gone = [...this.#stored.keys()].filter((name) => !names.has(name))
    for (const name of gone) {
      this.#stored.delete(name)
      this.#served.delete(name)
    }
    // Replaced and deleted since it was listed: the next look reads the newer version.
    for (const [i, profile] of isNew.entries()) if (documents[i] !== null) this.#take(profile, documents[i]!)
    this.#state = state
    if (isNew.length + gone.length > 0) for (const listener of this.#listeners) listener()
  }

  #take(stored: StoredProfile, document: string): void {
    const { name, version } = stored
    const { profile, errors, warnings } = checkProfile(JSON.parse(document))
    this.#stored.set(name, { ...stored, warnings })
    if (profile === null) {
      // A later release wrote it: an earlier version that this one knows goes on.
      this.#params.log.error(
        { service: name, version, errors },
        'the profile of a service cannot be read; upgrade this node',
      )
      return
    }
    this.#served.set(name, this.#compile(profile, version))
  }

  #compile(profile: Profile, version: number): ServedProfile {
    return serviceOf(profile, this.#params.settingsOf(profile), version)
  }
}
