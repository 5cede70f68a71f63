import type { Clock } from '../core/clock.ts'
import { SECOND_MS } from '../core/duration.ts'
import type { FailureLog } from '../engine/log/failureLog.ts'
import type { Logger } from '../engine/log/logger.ts'
import { Loop } from '../engine/loop.ts'
import { knownProfile } from '../profiles/check.ts'
import { type ServedProfile, type ServiceSettings, serviceOf } from '../profiles/compile.ts'
import { operationalService } from '../profiles/operational.ts'
import type { Profile } from '../profiles/profile.ts'
import { parseStoredDocument } from '../profiles/storedDocument.ts'
import type { Storage, StoredProfile } from '../storage/storage.ts'
import type { InputError } from '../validation/inputErrors.ts'
import { checkProfileInTurns } from './checkInTurns.ts'

/** How soon a node hears of what another one changed. */
const LOOK_EVERY_MS = 2 * SECOND_MS
/** Earlier versions that are kept in memory for the log. */
const MOST_EARLIER = 32

/** A service that an operator added. */
export interface StoredService extends StoredProfile {
  /** Weak choices in its profile, found soon after it was read; errors too, where an earlier release took what this one refuses. */
  readonly warnings: readonly InputError[]
}

interface RegistryParams {
  readonly storage: Pick<
    Storage['profiles'],
    'readProfilesState' | 'listProfiles' | 'getProfileDocument' | 'listProfileVersions'
  >
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
  readonly #sending = new Map<string, ServedProfile>([[operationalService.name, operationalService]])
  readonly #stored = new Map<string, StoredService>()
  readonly #earlier = new Map<string, Promise<ServedProfile | null>>()
  readonly #listeners: (() => void)[] = []
  readonly #loop: Loop
  /** Of the store, when it was last read; -1: it was not. */
  #state = -1
  #refreshing: Promise<void> | null = null

  constructor(params: RegistryParams) {
    this.#params = params
    for (const profile of params.builtIn) this.#serve(profile.name, this.#compile(profile, 0))
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

  /** The same, and what the service itself sends to operational webhooks. */
  get sending(): ReadonlyMap<string, ServedProfile> {
    return this.#sending
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

  #serve(name: string, service: ServedProfile): void {
    this.#served.set(name, service)
    this.#sending.set(name, service)
  }

  async #readVersion(name: string, version: number): Promise<ServedProfile | null> {
    const document = await this.#params.storage.getProfileDocument({ name, version })
    return document === null ? null : this.#serviceOf(name, version, document)
  }

  async #read(): Promise<void> {
    const { storage } = this.#params
    const state = await storage.readProfilesState({})
    if (state === this.#state) return
    const found = await storage.listProfiles({})
    const isNew = found.filter(({ name, version }) => this.#stored.get(name)?.version !== version)
    const read: {
      readonly stored: StoredProfile
      readonly document: string
      readonly service: ServedProfile | null
    }[] = []
    for (const stored of isNew) {
      const document = await storage.getProfileDocument(stored)
      // Replaced and deleted since it was listed: the next look reads the newer version.
      if (document === null) continue
      const { name, version } = stored
      const service = this.#serviceOf(name, version, document) ?? (await this.#lastUsable(name))
      read.push({ stored, document, service })
    }
    const names = new Set(found.map(({ name }) => name))
    const gone = [...this.#stored.keys()].filter((name) => !names.has(name))
    for (const name of gone) {
      this.#stored.delete(name)
      this.#served.delete(name)
      this.#sending.delete(name)
    }
    for (const { stored, service } of read) {
      this.#stored.set(stored.name, { ...stored, warnings: [] })
      if (service !== null) this.#serve(stored.name, service)
    }
    this.#state = state
    if (isNew.length + gone.length > 0) for (const listener of this.#listeners) listener()
    for (const { stored, document } of read) await this.#findWarnings(stored, document)
  }

  /**
   * It was checked before it was stored, so nothing is checked again: a release that refuses more serves it all the same.
   * @returns `null`: this release cannot use it
   */
  #serviceOf(name: string, version: number, document: string): ServedProfile | null {
    try {
      const profile = knownProfile(parseStoredDocument(document))
      if (profile !== null) return this.#compile(profile, version)
      throw new Error('its format is not that of this release')
    } catch (err) {
      this.#params.log.error(
        { service: name, version, err },
        'the profile of a service cannot be read; upgrade this node',
      )
      return null
    }
  }

  /** What a service was before a version that this release cannot use. */
  async #lastUsable(name: string): Promise<ServedProfile | null> {
    for (const { version } of await this.#params.storage.listProfileVersions({ name })) {
      const document = await this.#params.storage.getProfileDocument({ name, version })
      const service = document === null ? null : this.#serviceOf(name, version, document)
      if (service !== null) return service
    }
    return null
  }

  async #findWarnings(stored: StoredProfile, document: string): Promise<void> {
    const { errors, warnings } = await checkProfileInTurns(parseStoredDocument(document))
    this.#stored.set(stored.name, { ...stored, warnings: [...errors, ...warnings] })
  }

  #compile(profile: Profile, version: number): ServedProfile {
    return serviceOf(profile, this.#params.settingsOf(profile), version)
  }
}
