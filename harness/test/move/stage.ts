import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { inject } from 'vitest'
import { createDatabase, dropDatabase } from '../../src/postgres/databases.ts'
import { query, type Row } from '../../src/postgres/query.ts'
import { FAST_SETTINGS, type PostgresServer, startPostgres } from '../../src/postgres/server.ts'
import { ScriptedReceiver } from '../../src/receivers/scriptedReceiver.ts'
import { PosthornProcess, runPosthorn, type Settings, startService } from '../../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'
import { Caller } from './caller.ts'

/** Waits short enough for a delivery to finish within a test. */
export const SHORT: Settings = { POSTHORN_CONTENT_RETRY: '50ms,50ms', POSTHORN_ADS_RETRY: '50ms,50ms' }
/** Waits long enough that nothing in flight finishes within a test. */
export const LONG: Settings = {
  POSTHORN_CONTENT_RETRY: '1h',
  POSTHORN_ADS_RETRY: '1h',
  POSTHORN_CONTENT_TIMEOUT: '10m',
  POSTHORN_ADS_TIMEOUT: '10m',
}

let own: Promise<PostgresServer> | undefined

async function serverUrl(): Promise<string> {
  const shared: string | undefined = inject('postgresUrl')
  if (shared !== undefined) return shared
  own ??= startPostgres({ settings: FAST_SETTINGS })
  return (await own).url()
}

/** A data directory, an empty database, a receiver, and the service on one store or the other. */
export class Stage {
  readonly dataDir: string
  readonly databaseUrl: string
  readonly receiver: ScriptedReceiver
  readonly api: Caller
  readonly #directory: string
  readonly #databases: string[]
  #service: PosthornProcess | null = null

  private constructor(directory: string, database: string, databaseUrl: string, receiver: ScriptedReceiver) {
    this.#directory = directory
    this.dataDir = path.join(directory, 'data')
    this.#databases = [database]
    this.databaseUrl = databaseUrl
    this.receiver = receiver
    this.api = new Caller(() => this.service.url)
  }

  static async set(): Promise<Stage> {
    const database = newName()
    const url = await createDatabase(await serverUrl(), database)
    return new Stage(makeDirectory(), database, url, await ScriptedReceiver.start())
  }

  get service(): PosthornProcess {
    if (this.#service === null) throw new Error('no service runs')
    return this.#service
  }

  /** Another file or directory next to the data directory. */
  path(name: string): string {
    return path.join(this.#directory, name)
  }

  /** @returns the URL of another empty database */
  async anotherDatabase(): Promise<string> {
    const name = newName()
    this.#databases.push(name)
    return createDatabase(await serverUrl(), name)
  }

  async serveEmbedded(settings: Settings = {}, dataDir = this.dataDir): Promise<void> {
    this.#service = await startService({ dataDir, settings })
  }

  async serveMoved(settings: Settings = {}): Promise<void> {
    const moved = { POSTHORN_DATABASE_URL: this.databaseUrl, ...settings }
    this.#service = await startService({ dataDir: this.dataDir, settings: moved })
  }

  async stopService(): Promise<void> {
    await this.#service?.stop()
    this.#service = null
  }

  async killService(): Promise<void> {
    await this.#service?.kill()
    this.#service = null
  }

  /** Runs a command on the data directory to its end. */
  run(args: readonly string[], settings: Settings = {}) {
    return runPosthorn(args, { POSTHORN_DATA_DIR: this.dataDir, ...settings })
  }

  move(...flags: string[]) {
    return this.run(['move', ...flags], { POSTHORN_DATABASE_URL: this.databaseUrl })
  }

  /** Runs a move until its progress contains the text, and kills it there. */
  async killMoveAt(text: string): Promise<void> {
    const settings = { POSTHORN_DATA_DIR: this.dataDir, POSTHORN_DATABASE_URL: this.databaseUrl }
    const running: PosthornProcess = new PosthornProcess(['move'], settings, {
      onOutput() {
        if (running.stderr.includes(text)) void running.kill()
      },
    })
    const { signal } = await running.exited
    if (signal !== 'SIGKILL') throw new Error(`it ended before it said "${text}": ${running.stderr}`)
  }

  query(sql: string): Promise<Row[]> {
    return query(this.databaseUrl, sql)
  }

  async strike(): Promise<void> {
    await this.killService()
    await this.receiver.stop()
    for (const name of this.#databases) await dropDatabase(await serverUrl(), name)
    removeDirectory(this.#directory)
  }
}

const newName = (): string => `posthorn_${randomBytes(6).toString('hex')}`
