import { ADMIN_TOKEN, type PosthornProcess, startService } from '../../../../harness/src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../../../../harness/src/support/tempDirectory.ts'
import { type AdminClient, createAdminClient } from '../../src/index.ts'

export interface RunningService {
  readonly baseUrl: string
  readonly adminToken: string
  readonly admin: AdminClient
  stop(): Promise<void>
}

/** The built service in its own process, with its own store. Ads deliveries are dead after two attempts. */
export async function runService(): Promise<RunningService> {
  const dataDir = makeDirectory()
  const service: PosthornProcess = await startService({ dataDir, settings: { POSTHORN_ADS_RETRY: '10ms' } })
  const baseUrl = service.url
  return {
    baseUrl,
    adminToken: ADMIN_TOKEN,
    admin: createAdminClient({ baseUrl, adminToken: ADMIN_TOKEN }),
    stop: async () => {
      await service.stop()
      removeDirectory(dataDir)
    },
  }
}

/** All items of an iteration. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
