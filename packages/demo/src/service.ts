import type { ServiceName } from './story/cast.ts'

/** An event type, as far as the demo needs it. */
interface CatalogEntry {
  /** Whether webhooks can ask for it. */
  readonly subscribable: boolean
  /** Members that all its events have beside their data. */
  readonly members: Readonly<Record<string, unknown>>
  readonly example: Readonly<Record<string, unknown>>
}

/** Event types of each service, by their names. */
export type Catalogs = Readonly<Record<ServiceName, ReadonlyMap<string, CatalogEntry>>>

export interface ServiceSettings {
  /** An empty directory for the store. */
  readonly dataDir: string
  readonly logFile: string
  /** Certificates that receivers are trusted by, in PEM. */
  readonly authorityFile: string
  /** Waits before retries, such as `1s,2s`. */
  readonly retry: string
  readonly timeout: string
}

export interface RunningService {
  readonly url: string
  readonly adminToken: string
  stop(): Promise<void>
}

/** Given by the server, since the demo imports nothing of it. */
export interface DemoService {
  readonly catalogs: Catalogs
  /** Starts the service in this process, on a free port. It sends to this machine only. */
  start(settings: ServiceSettings): Promise<RunningService>
}
