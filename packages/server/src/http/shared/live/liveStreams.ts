import type { ServerResponse } from 'node:http'
import type { Clock, Timer } from '../../../core/clock.ts'
import { SECOND_MS } from '../../../core/duration.ts'
import { QUOTAS } from '../../../core/quotas.ts'
import { StoppingError } from '../../../engine/engine.ts'
import type { Logger } from '../../../engine/log/logger.ts'
import type { DeliveryRecord } from '../../../storage/rows.ts'
import { Problem } from '../problems.ts'
import { EventStream } from './eventStream.ts'
import { ListPoller } from './listPoller.ts'
import { type PollResult, ShownDeliveries } from './shownDeliveries.ts'

/** Streams of one session: tabs of a browser, of whose connections to a host they leave one. */
const MAX_OF_SESSION = 5
/** Streams of one person in a workspace, on this node: sessions are easily begun. */
const MAX_OF_PERSON = 15
/** Streams of this node. */
const MAX_STREAMS = 200
const RETRY_AFTER_SECONDS = '30'
const TICK_MS = SECOND_MS
/** How often the session is checked, in ticks, in case the notification of a change is lost. */
const TICKS_PER_CHECK = 5

/** The viewer of a stream, and its deliveries. */
export interface Viewer {
  /** The same for all streams of a session. */
  readonly session: string
  /** The same for all of one member, or of one operator. */
  readonly person: string
  readonly workspaceId: number
  /** Whether they may still see this. */
  readonly isAuthorized: () => Promise<boolean>
  /** The same for the same deliveries. */
  readonly listKey: string
  readonly read: () => Promise<PollResult>
  readonly toJson: (delivery: DeliveryRecord) => object
}

interface Open {
  readonly viewer: Viewer
  readonly stream: EventStream
}

/** The streams of deliveries that this node keeps open. */
export class LiveStreams {
  readonly #clock: Clock
  readonly #poller: ListPoller<PollResult>
  readonly #open = new Set<Open>()
  #timer: Timer | null = null
  #ticks = 0
  #ended = false
  #checking = false
  #checkAgain = false
  readonly #maxOfWorkspace: () => number

  /** @param maxOfWorkspace streams of one workspace, fewer than of a node so that others have some */
  constructor(clock: Clock, logger: Logger, maxOfWorkspace: () => number) {
    this.#clock = clock
    this.#maxOfWorkspace = maxOfWorkspace
    this.#poller = new ListPoller(clock, logger)
  }

  /**
   * Opens a stream: the present deliveries of the list, then new and changed ones.
   * @returns its body
   * @throws Problem when there are too many
   */
  open(viewer: Viewer, response: ServerResponse) {
    this.#makeSure(viewer)
    const stream = new EventStream(response, this.#clock)
    const one = { viewer, stream }
    this.#open.add(one)
    const shown = new ShownDeliveries()
    const unwatch = this.#poller.watch(viewer.listKey, viewer.read, (look) => {
      const changes = stream.isReady ? shown.changesIn(look) : null
      if (changes === null) return
      const { deliveries, more } = changes
      const data = JSON.stringify({ deliveries: deliveries.map(viewer.toJson), more })
      stream.send({ event: 'deliveries', data })
    })
    stream.body.once('close', () => {
      this.#open.delete(one)
      unwatch()
    })
    this.#timer ??= this.#clock.after(TICK_MS, () => this.#tick())
    return stream.body
  }

  /** Ends all streams, for good. */
  async end(): Promise<void> {
    this.#ended = true
    this.#timer?.cancel()
    this.#timer = null
    for (const { stream } of this.#open) stream.end()
    await this.#poller.settled()
  }

  /**
   * Ends the streams of viewers who have lost their rights. Call it when credentials have changed: calls during a check are
   * combined into one, so that many changes do not cause many lookups.
   */
  async checkAll(): Promise<void> {
    this.#checkAgain = true
    if (this.#checking) return
    this.#checking = true
    try {
      while (this.#checkAgain) {
        this.#checkAgain = false
        await Promise.all([...this.#open].map((one) => this.#check(one)))
      }
    } finally {
      this.#checking = false
    }
  }

  #makeSure({ session, person, workspaceId }: Viewer): void {
    if (this.#ended) throw new StoppingError()
    const headers = { 'retry-after': RETRY_AFTER_SECONDS }
    const viewers = [...this.#open].map(({ viewer }) => viewer)
    for (const [whose, max, isTheirs, orElse] of [
      ['A session', MAX_OF_SESSION, (viewer: Viewer) => viewer.session === session, ''],
      ['One person', MAX_OF_PERSON, (viewer: Viewer) => viewer.person === person, ''],
      [
        'A workspace',
        this.#maxOfWorkspace(),
        (viewer: Viewer) => viewer.workspaceId === workspaceId,
        `, or ask the operator to raise ${QUOTAS.streams.variable}`,
      ],
    ] as const) {
      if (viewers.filter(isTheirs).length < max) continue
      const detail = `${whose} can have at most ${max} streams at a time on a node. Close one first${orElse}.`
      throw new Problem('too_many_streams', detail, { headers })
    }
    if (viewers.length >= MAX_STREAMS)
      throw new Problem('streams_taken', 'This node has reached its limit of streams. Retry later.', {
        headers,
      })
  }

  #tick(): void {
    this.#ticks += 1
    for (const { stream } of this.#open) stream.tick()
    if (this.#ticks % TICKS_PER_CHECK === 0) for (const one of this.#open) void this.#check(one)
    this.#timer = this.#open.size === 0 ? null : this.#clock.after(TICK_MS, () => this.#tick())
  }

  async #check({ viewer, stream }: Open): Promise<void> {
    if (!(await viewer.isAuthorized())) stream.end()
  }
}
