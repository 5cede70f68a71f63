import type { Fate, MailServerOptions } from '../../../../harness/src/mail/mailServer.ts'
import { MailServer } from '../../../../harness/src/mail/mailServer.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import type { Transport } from '../../src/mail/mail.ts'
import { Mailer } from '../../src/mail/mailer.ts'
import type { MailObserver } from '../../src/mail/observer.ts'
import { smtpTransport } from '../../src/mail/smtp.ts'
import type { Member, Notification, Webhook, Workspace } from '../../src/storage/rows.ts'
import type { FlatStorage } from '../support/flatStorage.ts'
import { ManualClock } from '../support/manualClock.ts'
import { startReceiver, type TestReceiver } from '../support/receiver.ts'
import { startTestEngine, type TestEngine } from '../support/testEngine.ts'
import { until } from '../support/until.ts'

export const FROM = { name: 'Posthorn', address: 'posthorn@example.com' }
const DAY_MS = 86_400_000
export const LINKS = {
  publicUrl: 'https://hooks.example.com',
  disableAfterMs: (service: string) => (service === 'content' ? DAY_MS : null),
  recovery: () => ({ missed: false }),
}

interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: Record<string, unknown>
}

/** A service whose e-mails go to a mail server on this machine, on a clock that only tests move. */
export class Mailing {
  readonly clock = new ManualClock()
  readonly log: LogLine[] = []
  /** Reports to an observer, as text. */
  readonly reports: string[] = []
  waiting = 0
  wakes = 0
  fate: Fate | (() => Promise<Fate>) = 'accept'
  recipient: NonNullable<MailServerOptions['onRecipient']> = () => null
  service!: TestEngine
  server!: MailServer
  receiver!: TestReceiver
  workspace!: Workspace
  member!: Member
  #members = 0

  static async start(): Promise<Mailing> {
    const mailing = new Mailing()
    const { clock } = mailing
    mailing.service = await startTestEngine({ clock, random: () => 0.5, onNotified: () => mailing.wakes++ })
    mailing.receiver = await startReceiver(410)
    await mailing.listen()
    mailing.workspace = await mailing.service.createWorkspace('content')
    mailing.member = await mailing.createMember()
    return mailing
  }

  async end(): Promise<void> {
    await this.server.stop()
    await this.service.stop()
    await this.receiver.close()
  }

  /** @param port to reuse */
  async listen(port = 0): Promise<void> {
    this.server = await MailServer.start({
      port,
      onRecipient: (address) => this.recipient(address),
      onMessage: () => (typeof this.fate === 'function' ? this.fate() : this.fate),
    })
  }

  get storage(): FlatStorage {
    return this.service.storage
  }

  transport(port = this.server.port): Transport {
    return smtpTransport({ host: '127.0.0.1', port, secure: false, auth: null }, FROM)
  }

  mailer(changes: { readonly storage?: FlatStorage; readonly transport?: Transport } = {}): Mailer {
    const { clock, storage } = this
    const line = (level: string) => (fields: object, message: string) =>
      void this.log.push({ level, message, fields: fields as Record<string, unknown> })
    const log = { info: line('info'), warn: line('warn'), error: line('error') }
    const observer: MailObserver = {
      ended: (kind, outcome) => void this.reports.push(`${kind} ${outcome}`),
      deferred: (kind) => void this.reports.push(`${kind} deferred`),
      waiting: (count) => {
        this.waiting = count
      },
    }
    const failureLog = new FailureLog(clock, log)
    const { secretBox } = this.service
    const transport = changes.transport ?? this.transport()
    const given = { storage, clock, log, failureLog, secretBox, links: LINKS, observer, transport }
    return new Mailer({ ...given, leaseMs: 30_000, ...changes })
  }

  async createMember(email = `owner${++this.#members}@example.com`, name = 'Olga Owner'): Promise<Member> {
    const { id: workspaceId } = this.workspace
    const publicId = this.service.engine.ids.create('content', 'member')
    const now = this.clock.now()
    const params = { publicId, workspaceId, email, name, role: 'owner', now } as const
    return (await this.storage.createMember(params))!
  }

  async createWebhook(description = 'Orders', by = this.member): Promise<Webhook> {
    const { engine } = this.service
    const made = await engine.createWebhook(
      {
        workspace: this.workspace,
        url: `${this.receiver.url}/${encodeURIComponent(description)}`,
        eventTypes: ['version.approved'],
        description,
        createdBy: { type: 'member', publicId: by.publicId },
      },
      { actor: { type: 'operator', id: null, sessionId: null }, requestId: 'r', idempotency: null },
    )
    if (made.outcome !== 'created') throw new Error(made.outcome)
    return made.webhook
  }

  /** Waits until attempts were recorded. */
  async publish(): Promise<void> {
    const recorded = this.service.recorded()
    await this.service.publish(this.workspace)
    await until(this.clock, 'an attempt', () => this.service.recorded() > recorded)
  }

  /** Webhooks that answer 410 are disabled when this returns. */
  async disableWebhooks(count = 1): Promise<void> {
    const before = (await this.notifications()).length
    for (let i = 0; i < count; i++) await this.createWebhook(`Webhook ${i}`)
    await this.service.publish(this.workspace)
    await until(this.clock, 'all webhooks off', async () => {
      return (await this.notifications()).length >= before + count
    })
  }

  /** Newest first. */
  notifications(): Promise<readonly Notification[]> {
    return this.storage.listNotifications({ limit: 1000, before: null })
  }

  lines(message: string): LogLine[] {
    return this.log.filter((line) => line.message.includes(message))
  }
}
