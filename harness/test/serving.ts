import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { type PosthornProcess, type Settings, spawnService, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'

/** A data directory for each test, and services on it, which end with the test. */
export interface Serving {
  /** Exists, and contains only the data directory once that is created. */
  readonly directory: string
  readonly dataDir: string
  /** For commands that start on the data directory, with a free port. */
  readonly settings: Settings
  /** Resolves once the service answers. */
  start(settings?: Settings): Promise<PosthornProcess>
  spawn(settings?: Settings): PosthornProcess
}

/** Call it once in a test file. */
export function useServing(): Serving {
  let directory = ''
  const started: PosthornProcess[] = []
  const dataDirIn = () => path.join(directory, 'data')
  beforeEach(() => {
    directory = makeDirectory()
  })
  afterEach(async () => {
    await Promise.all(started.splice(0).map((service) => service.kill()))
    removeDirectory(directory)
  })
  return {
    get directory() {
      return directory
    },
    get dataDir() {
      return dataDirIn()
    },
    get settings() {
      return { POSTHORN_PORT: '0', POSTHORN_DATA_DIR: dataDirIn() }
    },
    async start(settings = {}) {
      const service = await startService({ dataDir: dataDirIn(), settings })
      started.push(service)
      return service
    },
    spawn(settings = {}) {
      const service = spawnService({ dataDir: dataDirIn(), settings })
      started.push(service)
      return service
    },
  }
}

export function expectOneLine(text: string): void {
  expect(text).toMatch(/^posthorn: [^\n]+\n$/)
}

export async function occupyPort(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}
