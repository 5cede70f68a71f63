import { randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { Dialect } from '../../core/dialect.ts'
import type { Webhook, WebhookFields, Workspace } from '../../storage/rows.ts'
import type { Changed, ChangeName, Storage, WebhookDeletion, WebhookUpdate } from '../../storage/storage.ts'
import type {
  By,
  CreateWebhookOutcome,
  Engine,
  PublicIds,
  RotateSecretOutcome,
  ShownSecret,
  WebhookKey,
  WebhookUpdateInput,
} from '../engine.ts'
import type { SecretBox } from '../secretBox.ts'
import { type Note, toAudit } from './audit.ts'
import { omitted, secretForRepeats, textShownBy } from './shownSecrets.ts'

/** Changes webhooks and their secrets in the store. The caller passes the change on to the lanes. */
export class WebhookEditor {
  readonly #storage: Pick<Storage, 'change' | 'webhooks' | 'log'>
  readonly #ids: PublicIds
  readonly #secretBox: SecretBox
  readonly #clock: Clock

  constructor(params: {
    readonly storage: Pick<Storage, 'change' | 'webhooks' | 'log'>
    readonly ids: PublicIds
    readonly secretBox: SecretBox
    readonly clock: Clock
  }) {
    this.#storage = params.storage
    this.#ids = params.ids
    this.#secretBox = params.secretBox
    this.#clock = params.clock
  }

  async create(
    dialect: Dialect,
    input: Parameters<Engine['createWebhook']>[0],
    by: By,
  ): Promise<CreateWebhookOutcome> {
    const { workspace, ...columns } = input
    const publicId = this.#ids.create(dialect.name, 'webhook')
    const { secret, sealedSecret } = this.#newSecret(dialect, publicId)
    const maxWebhooks = dialect.limits.webhooksPerWorkspace
    const now = this.#clock.now()
    const changed = await this.#storage.change({
      call: 'createWebhook',
      params: { ...columns, publicId, workspaceId: workspace.id, sealedSecret, maxWebhooks, now },
      audit: toAudit(workspace, by, noteOf('webhook.created', publicId)),
      idempotency: idempotencyOf(by, sealedSecret, now),
      now,
    })
    const { result } = changed
    if (result.outcome === 'limit_reached') return { ...result, max: maxWebhooks }
    if (result.outcome === 'workspace_not_found') return result
    return { ...result, shown: await this.#shown(dialect, changed, secret, result.webhook, now) }
  }

  async update(
    { policy }: Dialect,
    workspace: Workspace,
    webhook: Webhook,
    changes: WebhookUpdateInput,
    ifVersions: readonly number[] | null,
    by: By,
  ): Promise<WebhookUpdate | null> {
    const now = this.#clock.now()
    const { id: webhookId, publicId } = webhook
    const missed = policy.pauseHolds ? {} : await this.#missed(changes, webhook)
    const details = { ...detailsOf(changes, webhook), ...missed }
    const { result } = await this.#storage.change({
      call: 'updateWebhook',
      params: {
        workspaceId: workspace.id,
        webhookId,
        ifVersions,
        changes,
        pauseHolds: policy.pauseHolds,
        now,
      },
      audit: toAudit(workspace, by, noteOf('webhook.updated', publicId, details)),
      idempotency: null,
      now,
    })
    return result
  }

  /** What the webhook missed before this change enabled it again, for the audit log. */
  async #missed(
    { enabled, paused }: WebhookUpdateInput,
    { id: webhookId, workspaceId, eventTypes, stoppedAt: from, status }: Webhook,
  ): Promise<Note['details']> {
    const resumes = (status === 'paused' && paused === false) || (status === 'off' && enabled === true)
    if (!resumes) return {}
    const asked = { workspaceId, webhookId, eventTypes, from, to: null }
    const { count, more } = await this.#storage.log.countMissed(asked)
    return { missed: count, ...(more ? { missed_more: true } : {}) }
  }

  async delete(
    workspace: Workspace,
    { id: webhookId, publicId }: WebhookKey,
    ifVersions: readonly number[] | null,
    by: By,
  ): Promise<WebhookDeletion | null> {
    const now = this.#clock.now()
    const { result } = await this.#storage.change({
      call: 'deleteWebhook',
      params: { workspaceId: workspace.id, webhookId, ifVersions, now },
      audit: toAudit(workspace, by, noteOf('webhook.deleted', publicId)),
      idempotency: null,
      now,
    })
    return result
  }

  async rotate(
    dialect: Dialect,
    workspace: Workspace,
    { id: webhookId, publicId }: WebhookKey,
    ifVersions: readonly number[] | null,
    by: By,
  ): Promise<RotateSecretOutcome | null> {
    const { secret, sealedSecret } = this.#newSecret(dialect, publicId)
    const now = this.#clock.now()
    const { overlapMs } = dialect.secrets
    const changed = await this.#storage.change({
      call: 'rotateSecret',
      params: { workspaceId: workspace.id, webhookId, ifVersions, sealedSecret, overlapMs, now },
      audit: toAudit(workspace, by, noteOf('webhook.secret_rotated', publicId)),
      idempotency: idempotencyOf(by, sealedSecret, now),
      now,
    })
    const { result } = changed
    if (result?.outcome !== 'rotated') return result
    return { ...result, shown: await this.#shown(dialect, changed, secret, result.webhook, now) }
  }

  #newSecret(dialect: Dialect, publicId: string) {
    const secret = dialect.secrets.make(randomBytes(dialect.secrets.bytes))
    return { secret, sealedSecret: this.#secretBox.seal(secret, publicId) }
  }

  /** @param webhook after the call: the secret that the call made signs from this version on */
  async #shown(
    { secrets }: Dialect,
    changed: Pick<Changed<ChangeName>, 'repeated' | 'responseData'>,
    made: string,
    { id: webhookId, publicId, version }: Webhook,
    now: number,
  ): Promise<ShownSecret> {
    if (changed.repeated) {
      const [newest] = await this.#storage.webhooks.listSecrets({ webhookId, limit: 1, now })
      // A deleted webhook has none.
      if (newest?.fromVersion !== version) return omitted(newest === undefined ? 'expired' : 'rotated')
    }
    const stored = textShownBy(changed, made, (sealed) => this.#secretBox.open(sealed, publicId))
    if (stored === null) return omitted('expired')
    return { secret: secrets.shown(stored), publicKey: secrets.publicKey(stored), omitted: null }
  }
}

const idempotencyOf = ({ idempotency }: By, sealedSecret: Uint8Array, now: number) =>
  idempotency === null ? null : { ...idempotency, ...secretForRepeats(sealedSecret, now) }

function noteOf(action: Note['action'], webhook: string, details: Note['details'] = {}): Note {
  return { action, target: { type: 'webhook', id: webhook }, details }
}

/**
 * The changes for the audit log. `enabled`, `paused` and limits have their values; of other fields only the names are listed,
 * since URLs often contain tokens.
 */
function detailsOf(
  { enabled, paused, maxPerSecond, maxInFlight, ...named }: WebhookUpdateInput,
  before: Webhook,
): Note['details'] {
  const limit = given({ maxPerSecond, maxInFlight })
  const fields: Partial<WebhookFields> = { ...named, ...limit }
  const state = given({ enabled, paused })
  const names = Object.keys(fields) as (keyof WebhookFields)[]
  const changed = names.filter((name) => JSON.stringify(fields[name]) !== JSON.stringify(before[name]))
  const values = Object.entries(limit).map(([name, value]) => [memberName(name), value])
  return {
    members: [...changed.map(memberName), ...Object.keys(state)],
    ...state,
    ...(Object.fromEntries(values) as Note['details']),
  }
}

/** The members that the request has. */
const given = <V>(members: Readonly<Record<string, V | undefined>>): Record<string, V> =>
  Object.fromEntries(
    Object.entries(members).filter((member): member is [string, V] => member[1] !== undefined),
  )

/** The spelling in the audit log: `event_types` for `eventTypes`. */
const memberName = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
