import { randomBytes } from 'node:crypto'
import type { Dialect } from '../core/dialect.ts'
import { MINUTE_MS } from '../core/duration.ts'
import { deriveId } from '../core/ids.ts'
import type { DeliveryRecord, Webhook, Workspace } from '../storage/rows.ts'
import type { ManualSendLimit, ManualSendResult, WebhookUpdate } from '../storage/storage.ts'
import {
  type CreateWebhookOutcome,
  type Engine,
  type EventToPublish,
  StoppingError,
  type WebhookChanges,
} from './engine.ts'
import { EventIds } from './eventIds.ts'
import { makeEventRows } from './eventRows.ts'
import { Pipeline, type PipelineParams } from './pipeline.ts'
import { createPublicIds, dialectOf } from './publicIds.ts'

export type EngineParams = Omit<PipelineParams, 'formatIds'>

const SECRET_BYTES = 32

export function createEngine(params: EngineParams): Engine {
  return new DeliveryEngine(params)
}

class DeliveryEngine implements Engine {
  readonly ids: Engine['ids']
  readonly #params: EngineParams
  readonly #eventIds: EventIds
  readonly #pipeline: Pipeline
  #stopped: Promise<void> | null = null

  constructor(params: EngineParams) {
    this.#params = params
    this.ids = createPublicIds(params)
    this.#eventIds = new EventIds(params.storage)
    const { idKey } = params.storage
    this.#pipeline = new Pipeline({
      ...params,
      formatIds: {
        event: (dialect, { eventId, broughtEventId, createdAt }) =>
          broughtEventId ?? this.#eventIds.format(dialect, { rowId: eventId, createdAt }),
        delivery: (dialect, { id, createdAt }) =>
          dialect.ids.delivery.format(deriveId('delivery', { rowId: id, createdAt }, idKey)),
      },
    })
  }

  start(): Promise<void> {
    return this.#pipeline.start()
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#pipeline.stop()
    return this.#stopped
  }

  async check(): Promise<void> {
    this.#refuseWhileStopping()
    if (!this.#pipeline.held) throw new Error('the lease of this node is not held')
    await this.#params.storage.check()
  }

  async publish(workspace: Workspace, events: readonly EventToPublish[]) {
    this.#refuseWhileStopping()
    const dialect = this.#dialectOf(workspace)
    const rows = await this.#makeRows(dialect, workspace, events)
    return this.#pipeline.publish(dialect, rows)
  }

  async createWebhook(input: Parameters<Engine['createWebhook']>[0]): Promise<CreateWebhookOutcome> {
    this.#refuseWhileStopping()
    const { workspace, ...columns } = input
    const dialect = this.#dialectOf(workspace)
    const publicId = this.ids.create(dialect.name, 'webhook')
    const { secret, sealedSecret } = this.#newSecret(dialect, publicId)
    const maxWebhooks = dialect.limits.webhooksPerWorkspace
    const result = await this.#params.storage.createWebhook({
      ...columns,
      publicId,
      workspaceId: workspace.id,
      sealedSecret,
      maxWebhooks,
      now: this.#params.clock.now(),
    })
    if (result.outcome === 'created') return { ...result, secret }
    return result.outcome === 'limit_reached' ? { ...result, max: maxWebhooks ?? 0 } : result
  }

  async updateWebhook(
    workspace: Workspace,
    webhookId: number,
    changes: WebhookChanges,
  ): Promise<WebhookUpdate | null> {
    return this.#change(webhookId, (now) =>
      this.#params.storage.updateWebhook({ workspaceId: workspace.id, webhookId, changes, now }),
    )
  }

  async deleteWebhook(workspace: Workspace, webhookId: number): Promise<boolean> {
    return this.#change(webhookId, (now) =>
      this.#params.storage.deleteWebhook({ workspaceId: workspace.id, webhookId, now }),
    )
  }

  async rotateSecret(workspace: Workspace, { id: webhookId, publicId }: Pick<Webhook, 'id' | 'publicId'>) {
    const dialect = this.#dialectOf(workspace)
    const { secret, sealedSecret } = this.#newSecret(dialect, publicId)
    const { overlapMs } = dialect.secrets
    const webhook = await this.#change(webhookId, (now) =>
      this.#params.storage.rotateSecret({
        workspaceId: workspace.id,
        webhookId,
        sealedSecret,
        overlapMs,
        now,
      }),
    )
    return webhook === null ? null : { webhook, secret }
  }

  async suspendWorkspace(workspace: Workspace, suspended: boolean): Promise<void> {
    this.#refuseWhileStopping()
    const suspendedAt = suspended ? this.#params.clock.now() : null
    const changed = await this.#params.storage.suspendWorkspace({ workspaceId: workspace.id, suspendedAt })
    for (const webhookId of changed) this.#pipeline.webhookChanged(webhookId)
  }

  async deleteWorkspace(workspace: Workspace): Promise<void> {
    this.#refuseWhileStopping()
    const now = this.#params.clock.now()
    const changed = await this.#params.storage.deleteWorkspace({ workspaceId: workspace.id, now })
    for (const webhookId of changed) this.#pipeline.webhookChanged(webhookId)
  }

  async sendTest(workspace: Workspace, webhook: Webhook, actorId: string): Promise<ManualSendResult> {
    this.#refuseWhileStopping()
    const dialect = this.#dialectOf(workspace)
    const { testEvent } = dialect
    if (testEvent === null) throw new Error(`the dialect ${dialect.name} has no test event`)
    const compose: EventToPublish['compose'] = (eventId, occurredAt) =>
      testEvent.compose({ eventId, webhookId: webhook.publicId, workspace, actorId, occurredAt })
    const { rows } = await this.#makeRows(dialect, workspace, [
      { type: testEvent.type, broughtId: null, fingerprint: '', compose },
    ])
    return this.#send(dialect, (limit, now) =>
      this.#params.storage.sendTest({ event: rows[0]!, webhookId: webhook.id, limit, now }),
    )
  }

  redeliver(workspace: Workspace, delivery: DeliveryRecord): Promise<ManualSendResult> {
    return this.#resend(workspace, delivery, 'redeliver', ['delivered', 'failed', 'canceled'])
  }

  replay(workspace: Workspace, delivery: DeliveryRecord): Promise<ManualSendResult> {
    return this.#resend(workspace, delivery, 'replay', ['dead'])
  }

  async #resend(
    workspace: Workspace,
    delivery: DeliveryRecord,
    trigger: 'redeliver' | 'replay',
    from: readonly DeliveryRecord['status'][],
  ): Promise<ManualSendResult> {
    const params = { workspaceId: workspace.id, deliveryId: delivery.id, trigger, from }
    return this.#send(this.#dialectOf(workspace), (limit, now) =>
      this.#params.storage.resend({ ...params, limit, now }),
    )
  }

  async #send(
    dialect: Dialect,
    send: (limit: ManualSendLimit | null, now: number) => Promise<ManualSendResult>,
  ): Promise<ManualSendResult> {
    this.#refuseWhileStopping()
    const max = dialect.limits.manualSendsPerMinute
    const result = await send(max === null ? null : { max, windowMs: MINUTE_MS }, this.#params.clock.now())
    if (result.outcome === 'accepted') this.#pipeline.wake()
    return result
  }

  async #change<T>(webhookId: number, change: (now: number) => Promise<T>): Promise<T> {
    this.#refuseWhileStopping()
    const result = await change(this.#params.clock.now())
    this.#pipeline.webhookChanged(webhookId)
    return result
  }

  #makeRows(dialect: Dialect, workspace: Workspace, events: readonly EventToPublish[]) {
    const { clock } = this.#params
    return makeEventRows({ eventIds: this.#eventIds, clock, dialect, workspace, events })
  }

  #newSecret(
    dialect: Dialect,
    publicId: string,
  ): { readonly secret: string; readonly sealedSecret: Uint8Array } {
    const secret = dialect.secrets.format(randomBytes(SECRET_BYTES))
    return { secret, sealedSecret: this.#params.secretBox.seal(secret, publicId) }
  }

  #dialectOf(workspace: Workspace): Dialect {
    return dialectOf(this.#params.dialects, workspace.dialect)
  }

  #refuseWhileStopping(): void {
    if (this.#stopped !== null) throw new StoppingError('this node is stopping')
  }
}
