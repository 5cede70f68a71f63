import { once } from 'node:events'
import http from 'node:http'
import type { Json } from './client.ts'
import type { TestService } from './service.ts'

/** A stream as a browser reads it. */
export interface LiveStream {
  readonly headers: http.IncomingHttpHeaders
  /** The data of the next event, once it arrives. */
  next(): Promise<Json>
  /** Resolves when no more comes. */
  readonly ended: Promise<void>
  close(): void
}

/**
 * Opens a stream of a workspace's deliveries.
 * @param by a bearer token, or headers
 * @throws the answer that came instead of one
 */
export async function watch(
  { base }: Pick<TestService, 'base'>,
  workspace: string,
  by: string | Readonly<Record<string, string>>,
  query = '',
): Promise<LiveStream> {
  const url = `${base}/console/v1/workspaces/${workspace}/deliveries/live?${query}`
  const headers = typeof by === 'string' ? { authorization: `Bearer ${by}` } : by
  const request = http.get(url, { headers, agent: false })
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`the answer was ${response.statusCode}`)
  const arrived: Json[] = []
  const waiting: ((data: Json) => void)[] = []
  let rest = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\n\n')
    rest = messages.pop()!
    for (const message of messages) {
      const data = /^event: deliveries\ndata: (.*)$/.exec(message)?.[1]
      if (data === undefined) continue
      const taker = waiting.shift()
      if (taker === undefined) arrived.push(JSON.parse(data))
      else taker(JSON.parse(data))
    }
  })
  // A stream closed by either side has also ended.
  response.on('error', () => {})
  request.on('error', () => {})
  const ended = new Promise<void>((resolve) => response.once('close', resolve))
  return {
    headers: response.headers,
    next: () =>
      arrived.length > 0 ? Promise.resolve(arrived.shift()) : new Promise((take) => waiting.push(take)),
    ended,
    close: () => void request.destroy(),
  }
}
