import type {
  AdminToken,
  ApiKey,
  Member,
  Operator,
  Session,
  SignInLink,
  Workspace,
} from '../../../src/storage/rows.ts'
import type { FlatStorage } from '../../support/flatStorage.ts'
import { Reports } from './reports.ts'

const HOUR_MS = 3_600_000

/** Helpers for workspaces, their members, and their credentials. */
export class People extends Reports {
  readonly storage: FlatStorage
  #made = 0

  constructor(storage: FlatStorage) {
    super()
    this.storage = storage
  }

  /** A different name each time. */
  name(prefix: string): string {
    return `${prefix}${++this.#made}`
  }

  async workspace(changes: { dialect?: string; slug?: string; isStored?: boolean } = {}): Promise<Workspace> {
    const publicId = this.name('ws_')
    const workspace = await this.storage.createWorkspace({
      publicId,
      dialect: 'content',
      slug: publicId,
      name: 'A workspace',
      now: this.now,
      ...changes,
    })
    return workspace!
  }

  async member(workspace: Workspace, email?: string, role: Member['role'] = 'owner'): Promise<Member> {
    const publicId = this.name('usr_')
    const member = await this.storage.createMember({
      publicId,
      workspaceId: workspace.id,
      email: email ?? `${publicId}@example.com`,
      name: 'A member',
      role,
      now: this.now,
    })
    return member!
  }

  async key(workspace: Workspace, member: Member | null = null): Promise<ApiKey> {
    const publicId = this.name('key_')
    const key = await this.storage.createKey({
      publicId,
      workspaceId: workspace.id,
      memberId: member?.id ?? null,
      name: 'A key',
      scopes: ['webhooks'],
      hash: Buffer.from(publicId),
      expiresAt: null,
      now: this.now,
    })
    return key!
  }

  /**
   * Creates a key whose response is kept for repeated requests.
   * @param sealed the secret in it
   * @param until Unix ms
   */
  async keyKeptForRepeats(
    workspace: Workspace,
    sealed: Uint8Array,
    until: number,
    now = this.now,
  ): Promise<void> {
    const publicId = this.name('key_')
    await this.storage.change({
      call: 'createKey',
      params: {
        publicId,
        workspaceId: workspace.id,
        memberId: null,
        name: 'once',
        scopes: [],
        hash: Buffer.from(publicId),
        expiresAt: null,
        now,
      },
      audit: {
        action: 'key.created',
        actor: { type: 'operator', id: null, sessionId: null },
        workspacePublicId: workspace.publicId,
        target: { type: 'key', id: publicId },
        details: {},
        requestId: 'req_1',
      },
      idempotency: {
        scope: 'operator',
        key: this.name('repeat'),
        fingerprint: Buffer.from(publicId),
        responseData: sealed,
        responseDataUntil: until,
        since: 0,
      },
      now,
    })
  }

  /** @param hash for lookups */
  async session({ id: memberId, workspaceId }: Member, hash = this.name('hash_')): Promise<Session> {
    const session = await this.storage.createSession({
      publicId: this.name('ses_'),
      workspaceId,
      memberId,
      hash: Buffer.from(hash),
      expiresAt: this.now + HOUR_MS,
      now: this.now,
    })
    return session!
  }

  async operator(email: string = `${this.name('op_')}@example.com`): Promise<Operator> {
    const publicId = this.name('opr_')
    const operator = await this.storage.createOperator({
      publicId,
      email,
      name: 'An operator',
      now: this.now,
    })
    return operator!
  }

  /** @param expiresAt `null`: never */
  async adminToken(expiresAt: number | null = null): Promise<AdminToken> {
    const publicId = this.name('adt_')
    const token = await this.storage.createAdminToken({
      publicId,
      name: `for ${publicId}`,
      hash: Buffer.from(publicId),
      expiresAt,
      now: this.now,
    })
    return token!
  }

  /** A link for an address that the operator passes on. */
  async link(email: string, hash = this.name('hash_'), expiresAt = this.now + HOUR_MS): Promise<SignInLink> {
    const actor = { type: 'operator', id: null, sessionId: null } as const
    const madeBy = { actor, requestId: 'req_of_link' }
    const of = { madeBy, email, hash: Buffer.from(hash), limit: null, notice: null }
    const made = await this.storage.createSignInLink({ ...of, expiresAt, now: this.now })
    if (made.outcome !== 'created') throw new Error('a link without a limit was refused')
    return made.link
  }

  async portalLink({ id: memberId, workspaceId }: Member, hash = this.name('hash_')) {
    const of = { workspaceId, memberId, hash: Buffer.from(hash) }
    return this.storage.createPortalLink({ ...of, expiresAt: this.now + HOUR_MS, now: this.now })
  }

  /** Signs a user in by the identity provider. @param given the roles in the claims */
  async signInByProvider(
    email: string,
    given: {
      readonly operator?: string
      readonly members?: readonly (readonly [Workspace, Member['role']])[]
      readonly hash?: string
      /** Whether the node knows the services of the workspaces. */
      readonly knows?: boolean
    } = {},
  ) {
    const { operator, members = [], hash = this.name('hash_'), knows = true } = given
    return this.storage.signInByProvider({
      email,
      name: 'Somebody',
      operator: operator === undefined ? null : { publicId: operator },
      members: members.map(([{ id: workspaceId, publicId: workspacePublicId }, role]) => ({
        workspaceId,
        workspacePublicId,
        publicId: knows ? this.name('usr_') : null,
        role,
      })),
      session: {
        publicId: this.name('ses_'),
        hash: Buffer.from(hash),
        expiresAt: this.now + HOUR_MS,
      },
      now: this.now,
      requestId: 'req_1',
    })
  }

  /** Uses a link. */
  async signIn(linkHash: string, hash = this.name('hash_')) {
    return this.storage.signIn(this.#use(linkHash, hash))
  }

  async signInToPortal(linkHash: string, hash = this.name('hash_')) {
    return this.storage.signInToPortal(this.#use(linkHash, hash))
  }

  async usePortalLinkIn({ id: sessionId }: { readonly id: number }, linkHash: string, until = this.now) {
    const of = { linkHash: Buffer.from(linkHash), sessionId, until }
    return this.storage.usePortalLinkIn({ ...of, now: this.now, requestId: 'req_1' })
  }

  #use(linkHash: string, hash: string) {
    const expiresAt = this.now + HOUR_MS
    return {
      linkHash: Buffer.from(linkHash),
      session: { publicId: this.name('ses_'), hash: Buffer.from(hash), expiresAt },
      now: this.now,
      requestId: 'req_1',
    }
  }
}
