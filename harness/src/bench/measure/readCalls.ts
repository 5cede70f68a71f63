import { performance } from 'node:perf_hooks'
import { Client } from 'undici'
import { BenchError } from '../frame/benchError.ts'
import type { Measurements } from '../frame/scenario.ts'
import { Latencies } from './latencies.ts'

/** One HTTP request. */
export interface ReadCall {
  readonly path: string
  readonly token: string
  /** JSON; makes it a POST. */
  readonly body?: object
  /** Whether to close the connection afterwards. */
  readonly last?: boolean
}

/** A list page, in the naming of both services. */
interface Page {
  readonly data: readonly object[]
  readonly next_cursor?: string | null
  readonly nextCursor?: string | null
}

const NAME = 'calls'
/** Not counted: the first calls compile code and load pages into memory. */
const WARM_UP = 3

/** A client over one connection that waits for each answer before the next request. */
export class Reader {
  readonly #client: Client

  constructor(origin: string) {
    this.#client = new Client(origin, { headersTimeout: 60_000, bodyTimeout: 60_000 })
  }

  /** @returns the answer, and the time until it was complete @throws BenchError for any status but 200 */
  async read<T>({
    path,
    token,
    body,
    last = false,
  }: ReadCall): Promise<{ readonly answer: T; readonly ms: number }> {
    const startedAt = performance.now()
    const response = await this.#client.request({
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      reset: last,
    })
    const text = await response.body.text()
    const ms = performance.now() - startedAt
    if (response.statusCode !== 200) throw new BenchError(`${path} → ${response.statusCode} ${text}`)
    return { answer: JSON.parse(text) as T, ms }
  }

  close(): Promise<void> {
    return this.#client.close()
  }
}

/** @param calls made in turn */
export async function timeCalls(
  reader: Reader,
  calls: readonly ReadCall[],
  times: number,
): Promise<Measurements> {
  const latencies = new Latencies()
  for (let number = -WARM_UP; number < times; number++) {
    const { ms } = await reader.read(calls[(number + WARM_UP) % calls.length]!)
    if (number >= 0) latencies.record(NAME, ms * 1e6)
  }
  return spreadOf(latencies)
}

/** Follows a list from its first page to its last, like a person who wants all results of a filter. */
export async function timeWalk(reader: Reader, { path, token }: ReadCall): Promise<Measurements> {
  const latencies = new Latencies()
  let [calls, found, totalMs] = [0, 0, 0]
  let [callsToFirst, firstMs] = [Number.NaN, Number.NaN]
  let cursor: string | null = null
  do {
    const from: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { answer, ms }: { answer: Page; ms: number } = await reader.read<Page>({ path: path + from, token })
    latencies.record(NAME, ms * 1e6)
    calls += 1
    totalMs += ms
    if (found === 0 && answer.data.length > 0) [callsToFirst, firstMs] = [calls, totalMs]
    found += answer.data.length
    cursor = answer.next_cursor ?? answer.nextCursor ?? null
  } while (cursor !== null)
  return { ...spreadOf(latencies), found, callsToFirst, firstMs, callsToEnd: calls, endMs: totalMs }
}

function spreadOf(latencies: Latencies): Measurements {
  const { p50Ms, p99Ms, maxMs } = latencies.spreads()[NAME]!
  return { p50Ms, p99Ms, worstMs: maxMs }
}
