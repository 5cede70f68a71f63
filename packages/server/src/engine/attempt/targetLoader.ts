import type { Clock } from '../../core/clock.ts'
import type { Dialects } from '../../core/dialect.ts'
import type { SendingTarget } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import { Destination } from '../egress/index.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { Logger } from '../log/logger.ts'
import type { Lane, Target } from '../schedule/lane.ts'
import type { Lanes } from '../schedule/lanes.ts'
import type { Releaser } from '../schedule/releaser.ts'
import type { SecretBox } from '../secretBox.ts'
import { HmacKey } from './hmacKey.ts'

/** Pause before another try when the store did not answer. */
const RELOAD_AFTER_MS = 200
/** As the log calls it. */
const WORK = 'loading of webhooks'

interface Load {
  readonly lane: Lane
  /** Of the lane, as the load began. */
  readonly changes: number
}

/** Reads the targets of lanes from the store, those of one moment in one call. Their lanes are blocked until then. */
export class TargetLoader {
  readonly #storage: Storage['sending']
  readonly #dialects: Dialects
  readonly #secretBox: SecretBox
  readonly #clock: Clock
  readonly #log: Logger
  readonly #failureLog: FailureLog
  readonly #lanes: Lanes
  readonly #releaser: Pick<Releaser, 'add'>
  #waiting: Lane[] = []
  #loading = false

  constructor(params: {
    readonly storage: Storage['sending']
    readonly dialects: Dialects
    readonly secretBox: SecretBox
    readonly clock: Clock
    readonly log: Logger
    readonly failureLog: FailureLog
    readonly lanes: Lanes
    readonly releaser: Pick<Releaser, 'add'>
  }) {
    this.#storage = params.storage
    this.#dialects = params.dialects
    this.#secretBox = params.secretBox
    this.#clock = params.clock
    this.#log = params.log
    this.#failureLog = params.failureLog
    this.#lanes = params.lanes
    this.#releaser = params.releaser
  }

  load(lane: Lane): void {
    this.#lanes.block(lane, 'loading')
    this.#waiting.push(lane)
    if (!this.#loading) void this.#loadWaiting()
  }

  async #loadWaiting(): Promise<void> {
    const loads = this.#waiting.map((lane): Load => ({ lane, changes: lane.changes }))
    this.#waiting = []
    this.#loading = true
    let rows: readonly SendingTarget[]
    try {
      const webhookIds = loads.map(({ lane }) => lane.webhookId)
      rows = await this.#storage.loadTargets({ webhookIds, now: this.#clock.now() })
      this.#failureLog.worked(WORK)
    } catch (error) {
      this.#failureLog.failed(WORK, error)
      this.#waiting.push(...loads.map(({ lane }) => lane))
      this.#clock.after(RELOAD_AFTER_MS, () => void this.#loadWaiting())
      return
    }
    this.#loading = false
    const byWebhook = new Map(rows.map((row) => [row.id, row]))
    // What is unblocked goes to the front.
    for (const load of loads.toReversed()) this.#loaded(load, byWebhook.get(load.lane.webhookId))
    if (this.#waiting.length > 0) void this.#loadWaiting()
    this.#lanes.ready()
  }

  #loaded({ lane, changes }: Load, row: SendingTarget | undefined): void {
    // The row may have been read before the change.
    if (lane.changes !== changes) {
      this.#waiting.push(lane)
      return
    }
    if (row === undefined) this.#releaser.add(this.#lanes.drop(lane))
    else {
      lane.target = this.#open(row)
      if (lane.target === null) this.#releaser.add(this.#lanes.block(lane, 'unsendable'))
    }
    this.#lanes.unblock(lane, 'loading')
  }

  /** @returns `null`: it cannot be sent to */
  #open(row: SendingTarget): Target | null {
    const dialect = this.#dialects.get(row.dialect)
    if (dialect === undefined) {
      this.#log.error(
        { webhook: row.publicId, dialect: row.dialect },
        'this node does not serve the dialect of a webhook',
      )
      return null
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
      return null
    }
  }
}
