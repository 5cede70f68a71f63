import { Pool } from 'undici'
import { onMessage, startOf, tell } from '../../support/programSide.ts'
import type { FromRequester, RequesterStart, ToRequester } from './requester.ts'

const { origin, request, inFlight } = await startOf<RequesterStart>()
const pool = new Pool(origin, { connections: inFlight, pipelining: 1 })
let answered = 0
let hasFailed = false

/** Sends one request after another as long as they are answered. */
async function keepAsking(): Promise<void> {
  const { method, path, headers, body, expectedStatus } = request
  while (!hasFailed) {
    const response = await pool.request({ method, path, headers, body })
    const text = await response.body.text()
    if (response.statusCode !== expectedStatus) throw new Error(`${response.statusCode} ${text}`)
    answered += 1
  }
}

onMessage<ToRequester>(() => tell({ kind: 'count', answered } satisfies FromRequester))

try {
  await Promise.all(Array.from({ length: inFlight }, keepAsking))
} catch (error) {
  hasFailed = true
  tell({ kind: 'failed', reason: String(error) } satisfies FromRequester)
}
