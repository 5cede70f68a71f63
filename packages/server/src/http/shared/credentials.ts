import { createHmac, hash, randomBytes } from 'node:crypto'
import { BoundedMap } from '../../core/boundedMap.ts'
import type { Clock, Timer } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Logger } from '../../engine/log/logger.ts'
import type { ApiKey, Member, Session, Workspace } from '../../storage/rows.ts'
import type { SignedInBrowser, Storage } from '../../storage/storage.ts'

/** How long what another node revoked may go on being accepted, should word of it not come through. */
const TTL_MS = 5 * SECOND_MS
const MAX_ENTRIES = 10_000
const FLUSH_AFTER_MS = 30 * SECOND_MS

/** Whom a credential speaks for. */
export type Identity =
  | { readonly kind: 'key'; readonly key: ApiKey; readonly workspace: Workspace }
  | {
      readonly kind: 'session'
      readonly session: Session
      readonly member: Member
      readonly workspace: Workspace
    }
  | ({ readonly kind: 'browser' } & SignedInBrowser)

interface CacheEntry {
  readonly identity: Identity
  readonly freshUntil: number
}

/** `browser` is a session of an address, `admin` one of the admin token. */
const PREFIXES = { key: 'phk_', session: 'phs_', browser: 'phb_', admin: 'pha_', link: 'phl_' } as const
type CredentialKind = keyof typeof PREFIXES
/** Whoever shows one of these acts by it. */
export type ShownKind = Exclude<CredentialKind, 'link'>

/** What is sent as a bearer token. */
export const BEARERS = ['key', 'session'] as const
/** What a cookie holds. A member who came by a portal link has the session that another product would hold. */
export const IN_COOKIES = ['session', 'browser', 'admin'] as const

/** What follows the prefix: 32 random bytes in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** @returns which of some kinds of credentials the text has the form of; `null`: of none */
export function credentialKind<K extends CredentialKind>(text: string, kinds: readonly K[]): K | null {
  return (
    kinds.find((kind) => text.startsWith(PREFIXES[kind]) && SECRET.test(text.slice(PREFIXES[kind].length))) ??
    null
  )
}

export const newCredential = (kind: CredentialKind) => PREFIXES[kind] + randomBytes(32).toString('base64url')

/** A credential is 256 random bits, so a plain hash of it can be neither reversed nor guessed; no salt, no stretching. */
export const hashCredential = (text: string) => hash('sha256', text, 'buffer')

/**
 * What a session of the admin token is stored under. It depends on the admin token too, so that once this was replaced the
 * session is not found any more. Its key is the session's token, which the store does not hold: whoever reads the store
 * cannot try admin tokens on it.
 */
export const hashAdminSession = (text: string, adminToken: string) =>
  createHmac('sha256', text).update(adminToken).digest()

type CredentialStore = Storage['credentials']

/**
 * Looks credentials up by their hash and remembers them for a few seconds, and notes when each key was last used.
 * Comparing takes no secret-dependent time: what is looked up is a hash that a caller cannot steer.
 */
export class Credentials {
  readonly #storage: CredentialStore
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #adminToken: string
  readonly #cache = new BoundedMap<string, CacheEntry>(MAX_ENTRIES)
  readonly #uses = new Map<number, number>()
  #flushTimer: Timer | null = null
  /** Goes up with every change to credentials, so that a look-up that began before it is not remembered after it. */
  #generation = 0
  readonly #onForgotten: () => void

  /** @param onForgotten called when credentials have changed, here or on another node */
  constructor(
    storage: CredentialStore,
    clock: Clock,
    logger: Logger,
    adminToken: string,
    onForgotten: () => void = () => {},
  ) {
    this.#onForgotten = onForgotten
    this.#storage = storage
    this.#clock = clock
    this.#logger = logger
    this.#adminToken = adminToken
  }

  /** Whom a credential that was looked up a moment ago speaks for. */
  cached(text: string): Identity | null {
    const name = hash('sha256', text, 'base64')
    const entry = this.#cache.get(name)
    if (entry === undefined) return null
    if (entry.freshUntil > this.#clock.monotonic()) return entry.identity
    this.#cache.delete(name)
    return null
  }

  async find(kind: ShownKind, text: string): Promise<Identity | null> {
    const generation = this.#generation
    const identity = await this.#look(kind, text)
    if (identity !== null && generation === this.#generation) {
      const freshUntil = this.#clock.monotonic() + TTL_MS
      this.#cache.set(hash('sha256', text, 'base64'), { identity, freshUntil })
    }
    return identity
  }

  async #look(kind: ShownKind, text: string): Promise<Identity | null> {
    const hash = kind === 'admin' ? hashAdminSession(text, this.#adminToken) : hashCredential(text)
    if (kind === 'key') {
      const found = await this.#storage.findKey({ hash })
      return found === null ? null : { kind, ...found }
    }
    if (kind === 'session') {
      const found = await this.#storage.findSession({ hash })
      return found === null ? null : { kind, ...found }
    }
    const found = await this.#storage.findBrowserSession({ hash })
    return found === null ? null : { kind: 'browser', ...found }
  }

  /** Forgets what was looked up. Changes to credentials are rare, so there is no need to be choosy. */
  forget(): void {
    this.#generation += 1
    this.#cache.clear()
    this.#onForgotten()
  }

  noteUse(keyId: number): void {
    this.#uses.set(keyId, this.#clock.now())
    this.#flushTimer ??= this.#clock.after(FLUSH_AFTER_MS, () => void this.flush())
  }

  /** Writes down last uses. They inform people and decide nothing, so a failure is logged and forgotten. */
  async flush(): Promise<void> {
    this.#flushTimer?.cancel()
    this.#flushTimer = null
    if (this.#uses.size === 0) return
    const uses = [...this.#uses].map(([keyId, at]) => ({ keyId, at }))
    this.#uses.clear()
    try {
      await this.#storage.touchKeys({ uses })
    } catch (error) {
      this.#logger.warn({ err: error, keys: uses.length }, 'last uses of keys were not written')
    }
  }
}
