import { randomUUID } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { MINUTE_MS, SECOND_MS } from '../core/duration.ts'
import type { FailureLog } from '../engine/log/failureLog.ts'
import type { Logger } from '../engine/log/logger.ts'
import { Loop } from '../engine/loop.ts'
import type { SecretBox } from '../engine/secretBox.ts'
import type { ClaimedNotification } from '../storage/rows.ts'
import type { NotificationOutcome, Storage } from '../storage/storage.ts'
import { Claims } from './claims.ts'
import { compose } from './compose.ts'
import { DeferredError, type Mail, RefusedError, type Transport } from './mail.ts'
import type { MailObserver } from './observer.ts'
import { retryAt } from './retries.ts'
import type { Links } from './webhookMail.ts'

const LOOK_EVERY_MS = 5 * SECOND_MS
/** Messages in progress at the same time. */
const AT_ONCE = 4
/** Servers that scan messages may take a while to accept them; if we disconnect too early, the message is sent twice. */
const SEND_WITHIN_MS = 5 * MINUTE_MS
/** A message in progress gets this long to finish at a stop; the whole stop must fit into 20 s. */
const STOP_PATIENCE_MS = 15 * SECOND_MS
/** How long nothing is sent after the transport failed; doubled each time. */
const FIRST_PAUSE_MS = 5 * SECOND_MS
const LONGEST_PAUSE_MS = MINUTE_MS

/** Its name in the log. */
const SENDING = 'sending of e-mail'

interface Settled {
  readonly notification: ClaimedNotification
  readonly claim: string
  readonly outcome: NotificationOutcome
}

interface MailerParams {
  readonly storage: Storage['notifications']
  /** The time that all nodes of the store share. */
  readonly clock: Clock
  readonly log: Logger
  readonly failureLog: FailureLog
  readonly secretBox: SecretBox
  readonly transport: Transport
  readonly links: Links
  readonly observer: MailObserver
  /** Lease duration of a node. */
  readonly leaseMs: number
}

/**
 * Sends the e-mails in the store. A message is claimed, sent, and marked as sent; if a process crashes in between, another
 * takes over once the claim has expired. There are two copies only if it crashes, or loses the store, after the mail server
 * accepted the message and before that was recorded. Both have the same `Message-ID`.
 */
export class Mailer {
  readonly #params: MailerParams
  readonly #loop: Loop
  readonly #claims: Claims
  /** Outcomes that are not in the store yet. */
  readonly #unsettled = new Set<Settled>()
  #pauseMs = 0
  /** Monotonic time. */
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor(params: MailerParams) {
    this.#params = params
    const { storage, clock, leaseMs: claimMs } = params
    this.#claims = new Claims({ storage, clock, claimMs, workWithinMs: SEND_WITHIN_MS })
    this.#loop = new Loop({
      name: 'look for e-mails to send',
      clock,
      failureLog: params.failureLog,
      intervalMs: LOOK_EVERY_MS,
      work: () => this.#round(),
    })
  }

  start(): void {
    this.#loop.start()
  }

  /** Messages in progress may finish, for a while. */
  async stop(): Promise<void> {
    const timer = this.#params.clock.after(STOP_PATIENCE_MS, () => this.#claims.breakOff())
    await this.#loop.stop()
    timer.cancel()
  }

  /** There is a new message to send. */
  wake(): void {
    this.#loop.wake()
  }

  /** For tests: one round now. */
  runOnce(): Promise<void> {
    return this.#loop.runOnce()
  }

  async #round(): Promise<number | null> {
    const { storage, clock, observer, leaseMs: claimMs } = this.#params
    // First of all, record what was sent, so that it is not claimed again.
    await this.#settleAll()
    const paused = this.#pausedUntil - clock.monotonic()
    if (paused > 0) return paused
    // After a failure, one message tests whether the transport works again.
    const limit = this.#pauseMs > 0 ? 1 : AT_ONCE
    const claim = randomUUID()
    const askedAt = clock.monotonic()
    const claimed = await storage.claimNotifications({ claim, claimMs, now: clock.now(), limit })
    const { notifications, waiting } = claimed
    observer.waiting(waiting)
    const ended = await Promise.all(notifications.map((one) => this.#handle(one, claim, askedAt)))
    await this.#settleAll()
    observer.waiting(waiting - ended.filter((end) => end).length)
    return notifications.length === limit ? 0 : null
  }

  /** @returns whether there is no further retry */
  async #handle(notification: ClaimedNotification, claim: string, askedAt: number): Promise<boolean> {
    const outcome = await this.#outcome(notification, claim, askedAt)
    const settled = { notification, claim, outcome }
    this.#unsettled.add(settled)
    // Tried once more at the end of the round; only then it counts as a failure.
    await this.#settle(settled).catch(() => {})
    return outcome.result !== 'again'
  }

  async #outcome(
    notification: ClaimedNotification,
    claim: string,
    askedAt: number,
  ): Promise<NotificationOutcome> {
    const { log, clock, secretBox, links, observer } = this.#params
    const { kind } = notification
    const about = { email: kind, message: notification.messageKey }
    const mail = compose(notification, secretBox, links, clock.now())
    if ('unwanted' in mail) {
      log.info({ ...about, reason: mail.unwanted }, 'e-mail not sent')
      observer.ended(kind, 'unwanted')
      return { result: 'given_up', error: mail.unwanted }
    }
    try {
      const claimed = { id: notification.id, claim, askedAt }
      const details = await this.#claims.whileClaimed(claimed, (signal) => this.#send(mail, signal))
      log.info({ ...about, ...details }, this.#params.transport.done)
      observer.ended(kind, 'sent')
      return { result: 'sent' }
    } catch (error) {
      return this.#failed(notification, about, error as Error)
    }
  }

  async #send(mail: Mail, signal: AbortSignal): Promise<object> {
    const details = await this.#params.transport.send(mail, signal)
    this.#works()
    return details
  }

  /** A server that rejects one message accepts others. */
  #works(): void {
    this.#pauseMs = 0
    this.#params.failureLog.worked(SENDING)
  }

  #failed(notification: ClaimedNotification, about: object, failure: Error): NotificationOutcome {
    const { log, clock, observer } = this.#params
    const { kind, attempts, expiresAt } = notification
    const own = failure instanceof RefusedError || failure instanceof DeferredError
    if (own) this.#works()
    else this.#pause(failure)
    const error = failure.message
    const dueAt = failure instanceof RefusedError ? null : retryAt(attempts, expiresAt, clock.now())
    if (dueAt === null) {
      log.warn({ ...about, attempts, reason: error }, 'e-mail failed; no further retry')
      observer.ended(kind, 'failed')
      return { result: 'given_up', error }
    }
    // While the transport fails, one log line about it is enough.
    if (own)
      log.warn({ ...about, attempts, reason: error }, 'e-mail rejected temporarily; it will be retried')
    observer.deferred(kind)
    return { result: 'again', dueAt, error }
  }

  #pause(failure: Error): void {
    const { clock, failureLog } = this.#params
    failureLog.failed(SENDING, failure)
    const now = clock.monotonic()
    // Messages that are sent at the same time fail together, which counts as one failure.
    if (now < this.#pausedUntil) return
    this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
    this.#pausedUntil = now + this.#pauseMs
  }

  async #settleAll(): Promise<void> {
    for (const settled of this.#unsettled) await this.#settle(settled)
  }

  async #settle(settled: Settled): Promise<void> {
    const { storage, clock, log } = this.#params
    const { notification, claim, outcome } = settled
    const { id, kind, messageKey } = notification
    const claimed = await storage.settleNotification({ id, claim, now: clock.now(), outcome })
    this.#unsettled.delete(settled)
    if (!claimed && outcome.result === 'sent')
      log.warn(
        { email: kind, message: messageKey },
        'e-mail sent after its claim; another node may have sent it too',
      )
  }
}
