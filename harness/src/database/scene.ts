import { randomUUID } from 'node:crypto'
import { query } from '../postgres/query.ts'
import { type PosthornProcess, type Settings, startService } from '../support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../support/tempDirectory.ts'
import { eventually } from '../support/waiting.ts'
import { createWorkspace } from '../support/workspaces.ts'
import { Probes } from './probes.ts'
import { SteadyPublisher } from './publisher.ts'
import { Receiver } from './receiver.ts'

const MASTER_KEY = Buffer.alloc(32, 1).toString('base64')
const EVENT_TYPE = 'schedule.cancel_required'
const PUBLISH_EVERY_MS = 50
/** The ten of its pools, and the one that listens. */
const CONNECTIONS_OF_A_NODE = 11
const PATIENCE_MS = 60_000
/** A node logs the same problem at most every 30 s, also one that began just after another ended. */
const LOG_PATIENCE_MS = 120_000

/** The result of a scene; there should be no complaints. */
export interface Outcome {
  /** Events that the service finally acknowledged. */
  readonly accepted: number
  /** Tries that it rejected temporarily. */
  readonly refused: number
  /** Longest wait of a publisher for an answer. */
  readonly longestMs: number
  readonly duplicates: number
  readonly complaints: readonly string[]
}

/** A node, a continuous publisher, and a receiver, while the database fails. */
export class Scene {
  readonly service: PosthornProcess
  readonly publisher: SteadyPublisher
  readonly receiver: Receiver
  readonly #dataDir: string
  readonly #ready: Probes
  readonly #alive: Probes
  #closed = false

  private constructor(
    service: PosthornProcess,
    dataDir: string,
    receiver: Receiver,
    publisher: SteadyPublisher,
  ) {
    this.service = service
    this.#dataDir = dataDir
    this.receiver = receiver
    this.publisher = publisher
    this.#ready = new Probes(() => `${service.url}/readyz`)
    this.#alive = new Probes(() => `${service.url}/healthz`)
  }

  /** @param databaseUrl of the database, as used by the node */
  static async open(databaseUrl: string, settings: Settings = {}): Promise<Scene> {
    const dataDir = makeDirectory()
    const service = await startService({
      dataDir,
      settings: { POSTHORN_DATABASE_URL: databaseUrl, POSTHORN_MASTER_KEY: MASTER_KEY, ...settings },
    })
    const receiver = await Receiver.start()
    const url = () => service.url
    const workspace = await createWorkspace(url, 'content', `trouble-${randomUUID()}`)
    await workspace.createWebhook(receiver.url(), [EVENT_TYPE])
    const account = { workspaceId: workspace.id, key: workspace.key }
    const publisher = new SteadyPublisher([url], account, PUBLISH_EVERY_MS)
    const scene = new Scene(service, dataDir, receiver, publisher)
    await scene.works()
    return scene
  }

  /** The node's output so far, in lines. */
  get logLines(): string[] {
    return `${this.service.stdout}${this.service.stderr}`.split('\n').filter((line) => line !== '')
  }

  /** Resolves when the node has logged a line with these words. */
  async logs(words: string): Promise<void> {
    const said = () => this.logLines.some((line) => line.includes(words)) || null
    const what = `"${words}" in the log`
    await eventually(said, { withinMs: LOG_PATIENCE_MS, what }).catch((error: Error) => {
      throw new Error([error.message, ...this.logLines].join('\n'))
    })
  }

  /** Resolves when the node has a connection to its database. */
  async connected(databaseUrl: string): Promise<void> {
    await eventually(async () => ((await connectionsOfNodes(databaseUrl)) > 0 ? true : null), {
      withinMs: PATIENCE_MS,
      what: 'connection of the node',
    })
  }

  /** Resolves when new publishes are rejected and the node reports not ready. */
  async refuses(): Promise<void> {
    const since = Date.now()
    await eventually(() => (this.publisher.refusals(since).length > 0 ? true : null), {
      withinMs: PATIENCE_MS,
      what: 'refusal of an event',
    })
    await this.#answers(503, since)
  }

  /** Resolves when new publishes are accepted and delivered and the node reports ready. */
  async works(): Promise<void> {
    const since = Date.now()
    await this.#answers(200, since)
    const { eventId } = await eventually(
      () => this.publisher.tries.find(({ at, status }) => at >= since && status === 202) ?? null,
      { withinMs: PATIENCE_MS, what: 'an event that is accepted' },
    )
    await eventually(() => (this.receiver.counts().has(eventId) ? true : null), {
      withinMs: PATIENCE_MS,
      what: `delivery of ${eventId}`,
    })
  }

  /**
   * Stops publishing, publishes rejected events again, waits for the deliveries and checks everything.
   * @param databaseUrl of the database that has the events now
   */
  async conclude(databaseUrl: string): Promise<Outcome> {
    await this.publisher.stop()
    const { tries } = this.publisher
    const refused = this.publisher.refusals()
    const again = await this.publisher.tryAgain()
    const { accepted } = this.publisher
    const complaints = [
      ...refused.flatMap(complaintAbout),
      ...again
        .filter(({ status }) => status !== 202)
        .map(({ eventId, status, code }) => `${eventId} is rejected for good: ${status} ${code}`),
    ]
    await eventually(async () => ((await undelivered(databaseUrl)) === 0 ? true : null), {
      withinMs: PATIENCE_MS,
      what: 'delivery of all events',
    }).catch((error: Error) => complaints.push(error.message))
    const counts = this.receiver.counts()
    const stored = await storedEvents(databaseUrl)
    for (const eventId of accepted) {
      const times = stored.get(eventId) ?? 0
      if (times !== 1) complaints.push(`${eventId} was acknowledged and is in the database ${times} times`)
      if (!counts.has(eventId)) complaints.push(`${eventId} was acknowledged and never delivered`)
    }
    complaints.push(...(await this.#complaintsAboutConnections(databaseUrl)), ...(await this.#end()))
    return {
      accepted: accepted.size,
      refused: refused.length,
      longestMs: Math.round(Math.max(...tries.map(({ tookMs }) => tookMs))),
      duplicates: this.receiver.arrivals.length - counts.size,
      complaints,
    }
  }

  /** If it was not concluded. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.publisher.stop()
    await Promise.all([this.#ready.stop(), this.#alive.stop()])
    await this.service.kill()
    this.receiver.stop()
    removeDirectory(this.#dataDir)
  }

  async #answers(status: number, since: number): Promise<void> {
    await eventually(
      () => (this.#ready.answers.some((one) => one.at >= since && one.status === status) ? true : null),
      { withinMs: PATIENCE_MS, what: `${status} of /readyz` },
    )
  }

  async #complaintsAboutConnections(databaseUrl: string): Promise<string[]> {
    let open = 0
    const few = async () => {
      open = await connectionsOfNodes(databaseUrl)
      return open <= CONNECTIONS_OF_A_NODE || null
    }
    return eventually(few, { withinMs: PATIENCE_MS, what: 'few connections' }).then(
      () => [],
      () => [`the node has ${open} connections to the database`],
    )
  }

  async #end(): Promise<string[]> {
    await Promise.all([this.#ready.stop(), this.#alive.stop()])
    const complaints = this.#alive.answers
      .filter(({ status }) => status !== 200)
      .map(({ status }) => `/healthz answered ${status}`)
    const exit = await this.service.stop()
    if (exit.code !== 0) complaints.push(`the node ended with ${JSON.stringify(exit)}`)
    await this.close()
    return complaints
  }
}

type Refusal = ReturnType<SteadyPublisher['refusals']>[number]

function complaintAbout({ eventId, status, code, contentType, retryAfter, tookMs }: Refusal): string[] {
  const asPromised =
    status === 503 &&
    code === 'store_unavailable' &&
    contentType === 'application/problem+json' &&
    Number(retryAfter) > 0
  const said = JSON.stringify({ status, code, contentType, retryAfter })
  return asPromised ? [] : [`${eventId} was answered with ${said} after ${Math.round(tookMs)} ms`]
}

/** How often each event is stored. */
async function storedEvents(databaseUrl: string): Promise<Map<string, number>> {
  const rows = await query(
    databaseUrl,
    'select brought_id, count(*)::int as times from posthorn.events group by 1',
  )
  return new Map(rows.map(({ brought_id, times }) => [String(brought_id), Number(times)]))
}

async function undelivered(databaseUrl: string): Promise<number> {
  const rows = await query(databaseUrl, "select 1 from posthorn.deliveries where status <> 'delivered'")
  return rows.length
}

async function connectionsOfNodes(databaseUrl: string): Promise<number> {
  const rows = await query(
    databaseUrl,
    "select 1 from pg_stat_activity where application_name = 'posthorn' and datname = current_database()",
  )
  return rows.length
}
