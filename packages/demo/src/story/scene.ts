import type { Account, LoggedDelivery, PublishedEvent } from '../accounts/account.ts'
import type { Receiver } from '../receivers/receiver.ts'
import type { Part } from './cast.ts'
import type { Evidence, ExpectedEvent, SeenRequest } from './verdict.ts'

/** One receiver of the story, with the demo's own record of the events that it must get. */
export class Scene {
  readonly part: Part
  readonly account: Account
  readonly receiver: Receiver
  /** Where the receiver listens. */
  readonly url: string
  readonly webhookId: string
  readonly #meant: PublishedEvent[] = []
  readonly #redelivered = new Set<string>()

  constructor(params: {
    readonly part: Part
    readonly account: Account
    readonly receiver: Receiver
    readonly url: string
    readonly webhookId: string
  }) {
    this.part = params.part
    this.account = params.account
    this.receiver = params.receiver
    this.url = params.url
    this.webhookId = params.webhookId
  }

  /** True once its webhook must be disabled: it must get no events that are published from then on. */
  get isClosed(): boolean {
    return this.part.fate === 'gets_disabled' && this.#meant.length > 0
  }

  get meant(): readonly PublishedEvent[] {
    return this.#meant
  }

  expect(event: PublishedEvent): void {
    this.#meant.push(event)
  }

  noteRedelivery(eventId: string): void {
    this.#redelivered.add(eventId)
  }

  log(extent: 'recent' | 'whole'): Promise<readonly LoggedDelivery[]> {
    return this.account.deliveries(this.webhookId, extent)
  }

  /** Whether everything that the receiver must get is finished in the log. */
  isSettled(log: readonly LoggedDelivery[]): boolean {
    const finished = new Set(log.filter(({ status }) => status !== 'pending').map(({ eventId }) => eventId))
    return this.#meant.every(({ id }) => finished.has(id))
  }

  /** The evidence, except the answer to a forged request. */
  async collect(): Promise<Omit<Evidence, 'forgeryStatus'>> {
    const log = await this.log('whole')
    return {
      receiver: this.part.name,
      expected: this.#meant.map((event) => this.#expected(event)),
      requests: this.receiver.requests.map((request) => this.#seen(request)),
      log,
      state: await this.account.state(this.webhookId),
      expectedState: this.part.fate === 'gets_disabled' ? 'disabled (gone)' : 'enabled',
    }
  }

  #expected(event: PublishedEvent): ExpectedEvent {
    const { fate } = this.part
    return {
      ...event,
      end: fate === 'fails' || fate === 'gets_disabled' ? 'failed' : 'delivered',
      // A 410 is final; anything else gets the eight attempts that both services promise.
      failedAttempts: fate === 'gets_disabled' ? 1 : 8,
      resent:
        fate === 'arrives_when_replayed' ? 'replay' : this.#redelivered.has(event.id) ? 'redeliver' : null,
    }
  }

  #seen({ repeatKey, verified, status, json }: Receiver['requests'][number]): SeenRequest {
    // Standard Webhooks names the event in a header, the other service in the body.
    const eventId = this.part.service === 'content' ? repeatKey : idIn(json)
    return { eventId, repeatKey, verified, status, body: json }
  }
}

function idIn(json: unknown): string | null {
  const hasId = typeof json === 'object' && json !== null && 'id' in json && typeof json.id === 'string'
  return hasId ? (json.id as string) : null
}
