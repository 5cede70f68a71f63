import { Pool } from 'undici'
import { onMessage, startOf, tell } from '../../support/programSide.ts'
import type { FromRequester, RequesterStart, ToRequester } from './requester.ts'

const { origin, request, inFlight } = await startOf<RequesterStart>()
const pool = new Pool(origin, { connections: inFlight, pipelining: 1 })
let answered = 0
let finishing = false

/** One after the other, for as long as it is wanted. */
async function keepAsking(): Promise<void> {
  const { method, path, headers, body, expectedStatus } = request
  while (!finishing) {
    const response = await pool.request({ method, path, headers, body })
    const text = await response.body.text()
    if (response.statusCode !== expectedStatus) throw new Error(`${response.statusCode} ${text}`)
    answered += 1
  }
}

onMessage<ToRequester>(({ kind }) => {
  if (kind === 'finish') finishing = true
  else tell({ kind: 'count', answered } satisfies FromRequester)
})

try {
  await Promise.all(Array.from({ length: inFlight }, keepAsking))
  tell({ kind: 'finished' } satisfies FromRequester)
} catch (error) {
  finishing = true
  tell({ kind: 'failed', reason: String(error) } satisfies FromRequester)
}
