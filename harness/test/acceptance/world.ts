import path from 'node:path'
import { ApiClient, type Call, type CheckedAnswer, type ProblemJson } from '../../src/api/client.ts'
import { loadDocuments } from '../../src/api/load.ts'
import { type PosthornProcess, startService } from '../../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'
import { makeTestStore, type TestStore } from '../testStore.ts'
import { SeenCodes } from './codes.ts'
import { Receiver } from './receiver.ts'

/** Short enough for a delivery to finish within a test. */
const WAITS = '50ms,50ms'

/** Limits of one workspace, low enough for a test to reach. */
export const QUOTAS = {
  eventsPerSecond: 200,
  webhooks: 12,
  changesPerMinute: 10,
  unfinishedReplays: 3,
  consumers: 6,
  readers: 4,
}

interface Running {
  readonly directory: string
  readonly store: TestStore
  readonly receiver: Receiver
  readonly service: PosthornProcess
  readonly client: ApiClient
}

let running: Running | null = null
export const seenCodes = new SeenCodes()

function now(): Running {
  if (running === null) throw new Error('the service does not run')
  return running
}

/** The one service that all tests use, and a receiver for its webhooks. */
export async function startWorld(): Promise<void> {
  const directory = makeDirectory()
  const store = await makeTestStore()
  const receiver = await Receiver.start()
  const settings = {
    ...store.settings,
    POSTHORN_CONTENT_RETRY: WAITS,
    POSTHORN_ADS_RETRY: WAITS,
    POSTHORN_TRUSTED_PROXIES: '127.0.0.1',
    POSTHORN_MAX_EVENTS_PER_SECOND_PER_WORKSPACE: String(QUOTAS.eventsPerSecond),
    POSTHORN_MAX_WEBHOOKS_PER_WORKSPACE: String(QUOTAS.webhooks),
    POSTHORN_MAX_CHANGES_PER_MINUTE_PER_WORKSPACE: String(QUOTAS.changesPerMinute),
    POSTHORN_MAX_REPLAYS_PER_WORKSPACE: String(QUOTAS.unfinishedReplays),
    POSTHORN_MAX_CONSUMERS_PER_WORKSPACE: String(QUOTAS.consumers),
    POSTHORN_MAX_READERS_PER_WORKSPACE: String(QUOTAS.readers),
  }
  const service = await startService({ dataDir: path.join(directory, 'data'), settings })
  const client = new ApiClient(service.url, await loadDocuments(service.url))
  running = { directory, store, receiver, service, client }
}

export async function stopWorld(): Promise<void> {
  if (running === null) return
  const { client, service, receiver, store, directory } = running
  running = null
  client.close()
  await service.kill()
  await receiver.stop()
  await store.remove()
  removeDirectory(directory)
}

export const receiver = () => now().receiver
export const coverage = () => now().client.coverage
export const serviceUrl = () => now().service.url

/** Calls an operation; its answer is checked against its document and counted, with its error code. */
export async function call<T = ProblemJson>(id: string, what: Call = {}): Promise<CheckedAnswer<T>> {
  const answer = await now().client.call<T>(id, what)
  if (answer.status >= 400) seenCodes.record(id, (answer.json as ProblemJson).code)
  return answer
}

let clients = 0

/** Gives a request a unique client address, so that its failures count only for itself. */
export const fromNewClient = () => ({ 'x-forwarded-for': `198.18.${clients >> 8}.${clients++ & 255}` })

/** Calls an operation that must succeed. @throws Error when it does not */
export async function done<T>(id: string, what: Call = {}): Promise<T> {
  const answer = await call<T>(id, what)
  if (answer.status >= 300) throw new Error(`${id} answered ${answer.status}: ${answer.text}`)
  return answer.json
}
