import { createHmac, hash, randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { Logger } from '../../engine/log/logger.ts'
import type { AdminToken, ApiKey, Member, Session, Workspace } from '../../storage/rows.ts'
import type { SignedInBrowser, Storage } from '../../storage/storage.ts'
import { LastUses } from './lastUses.ts'
import { RecentlyFound } from './recentlyFound.ts'

/** The owner of a credential. */
export type Identity =
  | { readonly kind: 'key'; readonly key: ApiKey; readonly workspace: Workspace }
  | {
      readonly kind: 'session'
      readonly session: Session
      readonly member: Member
      readonly workspace: Workspace
    }
  | ({ readonly kind: 'browser' } & SignedInBrowser)

/** `browser` is a session of an e-mail address, `admin` one of the bootstrap admin token, `adminToken` a named admin token. */
const PREFIXES = {
  key: 'phk_',
  session: 'phs_',
  browser: 'phb_',
  admin: 'pha_',
  adminToken: 'pht_',
  link: 'phl_',
} as const
type CredentialKind = keyof typeof PREFIXES
/** A credential for workspaces or signed-in people. */
export type ShownKind = Exclude<CredentialKind, 'link' | 'adminToken'>

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
 * What a session of the admin token is stored under. It depends on the admin token, so that the session is no longer found once
 * the token was replaced. Its key is the session's token, which is not in the store: a copy of the store does not help to guess
 * the admin token.
 */
export const hashAdminSession = (text: string, adminToken: string) =>
  createHmac('sha256', text).update(adminToken).digest()

type CredentialStore = Storage['credentials']

/**
 * Looks credentials up by their hash, caches them for a few seconds, and records when each key and admin token was last used.
 * Comparing takes no secret-dependent time: the lookup uses a hash that a caller cannot control.
 */
export class Credentials {
  readonly #storage: CredentialStore
  readonly #adminToken: string
  readonly #identities: RecentlyFound<Identity>
  readonly #adminTokens: RecentlyFound<AdminToken>
  readonly #usesOfKeys: LastUses
  readonly #usesOfAdminTokens: LastUses
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
    this.#adminToken = adminToken
    this.#identities = new RecentlyFound(clock)
    this.#adminTokens = new RecentlyFound(clock)
    this.#usesOfKeys = new LastUses({
      clock,
      logger,
      what: 'keys',
      write: (uses) => storage.touchKeys({ uses: uses.map(({ id: keyId, at }) => ({ keyId, at })) }),
    })
    this.#usesOfAdminTokens = new LastUses({
      clock,
      logger,
      what: 'admin tokens',
      write: (uses) =>
        storage.touchAdminTokens({ uses: uses.map(({ id: tokenId, at }) => ({ tokenId, at })) }),
    })
  }

  /** The owner of a recently looked-up credential. */
  cached(text: string): Identity | null {
    return this.#identities.get(text)
  }

  find(kind: ShownKind, text: string): Promise<Identity | null> {
    return this.#identities.find(text, () => this.#look(kind, text))
  }

  /** Finds a named admin token, also a revoked or expired one. */
  async findAdminToken(text: string): Promise<AdminToken | null> {
    return (
      this.#adminTokens.get(text) ??
      this.#adminTokens.find(text, () => this.#storage.findAdminToken({ hash: hashCredential(text) }))
    )
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

  /** Clears the cache. Changes to credentials are rare, so everything is dropped. */
  forget(): void {
    this.#identities.forget()
    this.#adminTokens.forget()
    this.#onForgotten()
  }

  noteUse(keyId: number): void {
    this.#usesOfKeys.note(keyId)
  }

  noteUseOfAdminToken(tokenId: number): void {
    this.#usesOfAdminTokens.note(tokenId)
  }

  /** Stores when keys and admin tokens were last used. */
  async flush(): Promise<void> {
    await Promise.all([this.#usesOfKeys.flush(), this.#usesOfAdminTokens.flush()])
  }
}
