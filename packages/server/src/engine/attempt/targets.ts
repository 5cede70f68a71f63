import type { Clock } from '../../core/clock.ts'
import type { Dialect, Dialects, SigningKey } from '../../core/dialect.ts'
import type { WebhookStatus } from '../../core/enabledState.ts'
import type { SendingTarget } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { Destination } from '../egress/index.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { Logger } from '../log/logger.ts'
import type { SecretBox } from '../secretBox.ts'
import { HmacKey } from './hmacKey.ts'

interface TargetKey {
  readonly key: SigningKey
  /** Unix ms; `null`: the current secret. */
  readonly expiresAt: number | null
}

/** What an attempt needs to know of its webhook, opened and parsed once. */
export interface Target {
  readonly version: number
  readonly dialect: Dialect
  readonly status: WebhookStatus
  readonly destination: Destination
  /** Newest first. */
  readonly keys: readonly TargetKey[]
}

/** Why there is no target: the webhook is deleted, or its secret cannot be opened. */
type NoTarget = 'gone' | 'unsendable'

/** Pause before another try when the store did not answer. */
const RELOAD_AFTER_MS = 200
/** As the log calls it. */
const WORK = 'loading of webhooks'

/** Keeps the targets of webhooks that are being sent to. A delivery names the version it must be sent under. */
export class Targets {
  readonly #storage: Storage
  readonly #dialects: Dialects
  readonly #secretBox: SecretBox
  readonly #clock: Clock
  readonly #log: Logger
  readonly #failureLog: FailureLog
  readonly #onLoaded: (webhookIds: readonly number[]) => void
  readonly #byWebhook = new Map<number, Target | NoTarget>()
  #wanted = new Set<number>()
  /** What the load under way will answer for; `null`: none is under way. */
  #loading: Set<number> | null = null

  constructor(params: {
    readonly storage: Storage
    readonly dialects: Dialects
    readonly secretBox: SecretBox
    readonly clock: Clock
    readonly log: Logger
    readonly failureLog: FailureLog
    /** Called when targets that were missing can be asked for again. */
    readonly onLoaded: (webhookIds: readonly number[]) => void
  }) {
    this.#storage = params.storage
    this.#dialects = params.dialects
    this.#secretBox = params.secretBox
    this.#clock = params.clock
    this.#log = params.log
    this.#failureLog = params.failureLog
    this.#onLoaded = params.onLoaded
  }

  /**
   * @param version the lowest that will do
   * @returns `undefined` while it is being loaded
   */
  get(webhookId: number, version: number): Target | NoTarget | undefined {
    const target = this.#byWebhook.get(webhookId)
    // Nothing else would ever remove it.
    if (target === 'gone') this.#byWebhook.delete(webhookId)
    if (typeof target === 'string' || (target !== undefined && target.version >= version)) return target
    // Asked for again during its load, it is not loaded twice: that load would never be the last one.
    if (this.#loading?.has(webhookId)) return undefined
    this.#wanted.add(webhookId)
    if (this.#loading === null) void this.#load()
    return undefined
  }

  /** The webhook changed: what is known of it must not be used again. */
  forget(webhookId: number): void {
    this.#byWebhook.delete(webhookId)
    // A load under way may have read the row before the change.
    if (this.#loading?.delete(webhookId)) this.#wanted.add(webhookId)
  }

  async #load(): Promise<void> {
    const ids = this.#wanted
    this.#wanted = new Set()
    this.#loading = ids
    let found: readonly SendingTarget[]
    try {
      found = await this.#storage.loadTargets({ webhookIds: [...ids], now: this.#clock.now() })
      this.#failureLog.worked(WORK)
    } catch (error) {
      this.#failureLog.failed(WORK, error)
      for (const id of ids) this.#wanted.add(id)
      this.#loading = new Set()
      this.#clock.after(RELOAD_AFTER_MS, () => void this.#load())
      return
    }
    const targets = new Map(found.map((row) => [row.id, this.#open(row)]))
    for (const id of ids) this.#byWebhook.set(id, targets.get(id) ?? 'gone')
    this.#loading = null
    if (this.#wanted.size > 0) void this.#load()
    this.#onLoaded([...ids])
  }

  #open(row: SendingTarget): Target | NoTarget {
    const dialect = this.#dialects.get(row.dialect)
    if (dialect === undefined) {
      this.#log.error(
        { webhook: row.publicId, dialect: row.dialect },
        'this node does not serve the dialect of a webhook',
      )
      return 'unsendable'
    }
    try {
      const destination = new Destination({ webhookId: row.id, workspaceId: row.workspaceId, url: row.url })
      const keys = row.secrets.slice(0, dialect.secrets.maxSigning).map((secret) => ({
        key: new HmacKey(dialect.secrets.keyBytes(this.#secretBox.open(secret.sealed, row.publicId))),
        expiresAt: secret.expiresAt,
      }))
      const { version, status } = row
      return { version, dialect, status, destination, keys }
    } catch (error) {
      this.#log.error(
        { err: error, webhook: row.publicId },
        'a webhook cannot be sent to: its secret cannot be opened, or its URL not be read',
      )
      return 'unsendable'
    }
  }
}
