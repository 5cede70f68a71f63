import { randomBytes } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import type { Dialect } from '../core/dialect.ts'
import type { Webhook, Workspace } from '../storage/rows.ts'
import type { Storage, WebhookDeletion, WebhookUpdate } from '../storage/storage.ts'
import { type Note, toAudit } from './audit.ts'
import type {
  By,
  CreateWebhookOutcome,
  Engine,
  PublicIds,
  RotateSecretOutcome,
  WebhookChanges,
  WebhookKey,
} from './engine.ts'
import type { SecretBox } from './secretBox.ts'

const SECRET_BYTES = 32

/** Changes to webhooks and their secrets, in the store. Telling the sender is for the caller. */
export class WebhookEditor {
  readonly #storage: Storage
  readonly #ids: PublicIds
  readonly #secretBox: SecretBox
  readonly #clock: Clock

  constructor(params: {
    readonly storage: Storage
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
    const sealedSecret = this.#newSecret(dialect, publicId)
    const maxWebhooks = dialect.limits.webhooksPerWorkspace
    const now = this.#clock.now()
    const { result, memo } = await this.#storage.change({
      verb: 'createWebhook',
      params: { ...columns, publicId, workspaceId: workspace.id, sealedSecret, maxWebhooks, now },
      audit: toAudit(workspace, by, noteOf('webhook.created', publicId)),
      once: by.once === null ? null : { ...by.once, memo: sealedSecret },
      now,
    })
    if (result.outcome === 'limit_reached') return { ...result, max: maxWebhooks ?? 0 }
    if (result.outcome === 'workspace_not_found') return result
    return { ...result, secret: this.#open(memo ?? sealedSecret, result.webhook.publicId) }
  }

  async update(
    workspace: Workspace,
    webhook: Webhook,
    changes: WebhookChanges,
    ifVersions: readonly number[] | null,
    by: By,
  ): Promise<WebhookUpdate | null> {
    const now = this.#clock.now()
    const { id: webhookId, publicId } = webhook
    const { result } = await this.#storage.change({
      verb: 'updateWebhook',
      params: { workspaceId: workspace.id, webhookId, ifVersions, changes, now },
      audit: toAudit(workspace, by, noteOf('webhook.updated', publicId, detailsOf(changes, webhook))),
      once: null,
      now,
    })
    return result
  }

  async delete(
    workspace: Workspace,
    { id: webhookId, publicId }: WebhookKey,
    ifVersions: readonly number[] | null,
    by: By,
  ): Promise<WebhookDeletion | null> {
    const now = this.#clock.now()
    const { result } = await this.#storage.change({
      verb: 'deleteWebhook',
      params: { workspaceId: workspace.id, webhookId, ifVersions, now },
      audit: toAudit(workspace, by, noteOf('webhook.deleted', publicId)),
      once: null,
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
    const sealedSecret = this.#newSecret(dialect, publicId)
    const now = this.#clock.now()
    const { overlapMs } = dialect.secrets
    const { result, memo } = await this.#storage.change({
      verb: 'rotateSecret',
      params: { workspaceId: workspace.id, webhookId, ifVersions, sealedSecret, overlapMs, now },
      audit: toAudit(workspace, by, noteOf('webhook.secret_rotated', publicId)),
      once: by.once === null ? null : { ...by.once, memo: sealedSecret },
      now,
    })
    if (result?.outcome !== 'rotated') return result
    return { ...result, secret: this.#open(memo ?? sealedSecret, publicId) }
  }

  #newSecret(dialect: Dialect, publicId: string): Uint8Array {
    return this.#secretBox.seal(dialect.secrets.format(randomBytes(SECRET_BYTES)), publicId)
  }

  #open(sealedSecret: Uint8Array, publicId: string): string {
    return this.#secretBox.open(sealedSecret, publicId)
  }
}

function noteOf(action: Note['action'], webhook: string, details: Note['details'] = {}): Note {
  return { action, target: { type: 'webhook', id: webhook }, details }
}

/** Switches with their values; of the rest the names of what is new, since URLs often carry tokens. */
function detailsOf(
  { url, eventTypes, description, ...switches }: WebhookChanges,
  before: Webhook,
): Note['details'] {
  const isNew = {
    url: url !== undefined && url !== before.url,
    event_types: eventTypes !== undefined && eventTypes.join() !== before.eventTypes.join(),
    description: description !== undefined && description !== before.description,
  }
  const members = Object.entries(isNew).flatMap(([name, changed]) => (changed ? [name] : []))
  return { members: [...members, ...Object.keys(switches)], ...switches }
}
