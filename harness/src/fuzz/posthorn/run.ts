import { ApiClient } from '../../api/client.ts'
import { loadDocuments } from '../../api/load.ts'
import { type Settings, startService } from '../../support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../../support/tempDirectory.ts'
import { type FuzzReport, fuzz } from '../fuzz.ts'
import { posthornKnowledge } from './knowledge.ts'
import { Playground } from './playground.ts'
import { setScene } from './scene.ts'
import { complaintsAbout } from './wellbeing.ts'

export interface PosthornFuzzOptions {
  readonly requests: number
  readonly seed: number
  /** For example, the store that the service uses. */
  readonly settings?: Settings
  readonly onProgress?: (requests: number) => void
}

export interface PosthornFuzzReport extends FuzzReport {
  /** Problems of the service afterwards. */
  readonly complaints: readonly string[]
}

const CONCURRENCY = 24
const ANSWER_WITHIN_MS = 10_000
/** Short, so that deliveries finish within the run. */
const WAITS = '100ms,200ms,300ms'

/** Starts the service, isolated with its own receiver, and fuzzes all of its APIs. */
export async function fuzzPosthorn(options: PosthornFuzzOptions): Promise<PosthornFuzzReport> {
  const directory = makeDirectory()
  const playground = await Playground.start()
  const service = await startService({
    dataDir: directory,
    settings: {
      ...options.settings,
      POSTHORN_EGRESS_PROXY: playground.proxyUrl,
      POSTHORN_CONTENT_RETRY: WAITS,
      POSTHORN_ADS_RETRY: WAITS,
      POSTHORN_CONTENT_TIMEOUT: '2s',
      POSTHORN_ADS_TIMEOUT: '2s',
    },
  })
  const documents = await loadDocuments(service.url)
  const client = new ApiClient(service.url, documents)
  try {
    const scene = await setScene(client, playground)
    const report = await fuzz({
      ...options,
      origin: service.url,
      knowledge: posthornKnowledge(documents, scene, playground),
      concurrency: CONCURRENCY,
      timeoutMs: ANSWER_WITHIN_MS,
    })
    return { ...report, complaints: await complaintsAbout(service, client, playground) }
  } finally {
    client.close()
    await service.kill()
    await playground.stop()
    removeDirectory(directory)
  }
}
