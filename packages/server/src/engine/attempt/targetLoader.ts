import type { Clock } from '../../core/clock.ts'
import type { Dialects } from '../../core/dialect.ts'
import { Turns } from '../../core/turns.ts'
import type { SendingTarget } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { Destination } from '../egress/index.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { Logger } from '../log/logger.ts'
import type { Claimer } from '../schedule/claimer.ts'
import type { Lane, Target } from '../schedule/lane.ts'
import type { Lanes } from '../schedule/lanes.ts'
import type { SecretBox } from '../secretBox.ts'

/** Lanes loaded in one call. Decrypting their secrets and parsing their URLs takes some 10 ms, during which nothing is sent. */
const MAX_AT_ONCE = 256
/** Wait before the next try after the store has failed. */
const RELOAD_AFTER_MS = 200
/** Its name in the log. */
const WORK = 'loading of webhooks'

interface Load {
  readonly lane: Lane
  /** Of the lane, as the load began. */
  readonly changes: number
}

/**
 * Reads the targets of lanes from the store, many in one call, and one call at a time. A lane is blocked until its target is
 * loaded.
 */
export class TargetLoader {
  readonly #storage: Storage['sending']
  readonly #dialects: Dialects
  readonly #secretBox: SecretBox
  readonly #clock: Clock
  readonly #log: Logger
  readonly #failureLog: FailureLog
  readonly #lanes: Lanes
  readonly #claimer: Pick<Claimer, 'release'>
  /** By workspace. */
  readonly #waiting = new Turns<Lane>()
  #loading = false

  constructor(params: {
    readonly storage: Storage['sending']
    readonly dialects: Dialects
    readonly secretBox: SecretBox
    readonly clock: Clock
    readonly log: Logger
    readonly failureLog: FailureLog
    readonly lanes: Lanes
    readonly claimer: Pick<Claimer, 'release'>
  }) {
    this.#storage = params.storage
    this.#dialects = params.dialects
    this.#secretBox = params.secretBox
    this.#clock = params.clock
    this.#log = params.log
    this.#failureLog = params.failureLog
    this.#lanes = params.lanes
    this.#claimer = params.claimer
  }

  load(lane: Lane): void {
    this.#lanes.block(lane, 'loading')
    this.#wait(lane)
    if (!this.#loading) void this.#loadWaiting()
  }

  #wait(lane: Lane): void {
    this.#waiting.add(lane.workspace.workspaceId, lane)
  }

  #takeWaiting(): Lane[] {
    const lanes: Lane[] = []
    while (lanes.length < MAX_AT_ONCE && !this.#waiting.empty) lanes.push(this.#waiting.next()!)
    return lanes
  }

  async #loadWaiting(): Promise<void> {
    const lanes = this.#takeWaiting()
    const loads = lanes.map((lane): Load => ({ lane, changes: lane.changes }))
    this.#loading = true
    let rows: readonly SendingTarget[]
    try {
      const webhookIds = lanes.map(({ webhookId }) => webhookId)
      rows = await this.#storage.loadTargets({ webhookIds, now: this.#clock.now() })
      this.#failureLog.worked(WORK)
    } catch (error) {
      this.#failureLog.failed(WORK, error)
      for (const lane of lanes) this.#wait(lane)
      this.#clock.after(RELOAD_AFTER_MS, () => void this.#loadWaiting())
      return
    }
    this.#loading = false
    const byWebhook = new Map(rows.map((row) => [row.id, row]))
    // In reverse, since each lane that is unblocked goes first.
    for (const load of loads.toReversed()) this.#loaded(load, byWebhook.get(load.lane.webhookId))
    if (!this.#waiting.empty) void this.#loadWaiting()
    this.#lanes.ready()
  }

  #loaded({ lane, changes }: Load, row: SendingTarget | undefined): void {
    // The row may have been read before the change.
    if (lane.changes !== changes) {
      this.#wait(lane)
      return
    }
    lane.target = row === undefined ? null : this.#open(row)
    // The store cancels the deliveries of deleted webhooks.
    if (row === undefined) this.#claimer.release(lane, this.#lanes.drop(lane))
    else if (lane.target === null) this.#claimer.release(lane, this.#lanes.block(lane, 'unsendable'))
    else if (this.#lanes.rateLimits.setLimit(lane, row, row.version))
      this.#claimer.release(lane, this.#lanes.drop(lane))
    this.#lanes.unblock(lane, 'loading')
  }

  /** @returns `null`: it cannot be sent to */
  #open(row: SendingTarget): Target | null {
    const dialect = this.#dialects.get(row.dialect)
    if (dialect === undefined) {
      this.#log.error(
        { webhook: row.publicId, dialect: row.dialect },
        'this node does not know the service of a webhook',
      )
      return null
    }
    try {
      const destination = new Destination({ webhookId: row.id, workspaceId: row.workspaceId, url: row.url })
      const keys = row.secrets.slice(0, dialect.secrets.maxSigning).map((secret) => ({
        key: dialect.secrets.keyOf(this.#secretBox.open(secret.sealed, row.publicId)),
        expiresAt: secret.expiresAt,
      }))
      const { version, publicId, workspaceSlug, status } = row
      return { version, dialect, publicId, workspaceSlug, status, destination, keys }
    } catch (error) {
      this.#log.error(
        { err: error, webhook: row.publicId },
        'requests to a webhook cannot be sent: its secret cannot be decrypted, or its URL is not valid',
      )
      return null
    }
  }
}
