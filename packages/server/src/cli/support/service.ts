import { SECOND_MS } from '../../core/duration.ts'
import { adminServiceUrl, adminTokenOf, noAnswerMessage, serviceUrl } from '../remote/client.ts'
import type { Config } from '../settings.ts'
import { jsonText } from './bundle.ts'
import { type Chosen, choose } from './choose.ts'
import { MASTER_KEYS_CHOSEN, OUTAGES_CHOSEN, STATUS_CHOSEN } from './served.ts'

const ANSWER_WITHIN_MS = 10 * SECOND_MS
/** `/metrics` of a busy node has some 300 KB. */
const MOST_BYTES = 8 * 1024 * 1024

/** Why the service cannot be reached with these settings is the reason for each of its parts. */
type Reach = () => Config

interface Answer {
  readonly status: number
  readonly text: string
}

/** What a running service tells about itself. */
export const servedParts = (reach: Reach) => [
  {
    name: 'readyz.txt',
    what: 'GET /readyz: whether the node accepts events',
    read: async () => {
      const { status, text } = await get(serviceUrl(reach()), '/readyz')
      return `${status}\n${text}\n`
    },
  },
  {
    name: 'metrics.txt',
    what: 'GET /metrics of one node',
    read: async () => ok(await get(adminServiceUrl(reach()), '/metrics')),
  },
  chosenPart(reach, {
    name: 'status.json',
    what: 'GET /admin/v1/status: nodes, store, rates, backlog, warnings and what to do; workspaces are shown by id',
    chosen: STATUS_CHOSEN,
    path: '/admin/v1/status',
  }),
  chosenPart(reach, {
    name: 'master-keys.json',
    what: 'GET /admin/v1/master-keys: ids of the master keys; the keys themselves are never shown',
    chosen: MASTER_KEYS_CHOSEN,
    path: '/admin/v1/master-keys',
  }),
  chosenPart(reach, {
    name: 'outages.json',
    what: 'GET /admin/v1/outages: when nothing could be sent',
    chosen: OUTAGES_CHOSEN,
    path: '/admin/v1/outages',
  }),
]

function chosenPart(
  reach: Reach,
  { name, what, chosen, path }: { name: string; what: string; chosen: Chosen; path: string },
) {
  const read = async () => {
    const config = reach()
    const text = ok(await get(adminServiceUrl(config), path, adminTokenOf(config).value))
    try {
      return jsonText(choose(chosen, JSON.parse(text)))
    } catch {
      throw new Error('the response is not from Posthorn; check the address')
    }
  }
  return { name, what, read }
}

/** An error has the status alone: a service that is not Posthorn may answer with anything. */
function ok({ status, text }: Answer): string {
  if (status === 401) throw new Error('401: the service rejects the admin token')
  if (status !== 200) throw new Error(`the service answered with status ${status}`)
  return text
}

/** @throws Error (rejects) that says why there is no answer */
async function get(url: string, path: string, token?: string): Promise<Answer> {
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  try {
    // A redirect would be another service.
    const response = await fetch(new URL(path, url), { headers, signal, redirect: 'manual' })
    return { status: response.status, text: await bodyOf(response) }
  } catch (error) {
    if (error instanceof TooLargeError) throw error
    throw new Error(
      signal.aborted
        ? `no answer within ${ANSWER_WITHIN_MS / SECOND_MS} seconds`
        : noAnswerMessage(url, error),
    )
  }
}

class TooLargeError extends Error {}

async function bodyOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MOST_BYTES)
      throw new TooLargeError(`the answer is larger than ${MOST_BYTES / 1024 / 1024} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
