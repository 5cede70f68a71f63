import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** One received request. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text is sent unchanged, anything else as JSON. */
  readonly body?: unknown
}

export type Answer = Reply | 'hang up' | 'say nothing' | 'stop halfway' | ((seen: Seen) => Reply)

export interface ScriptedService {
  readonly baseUrl: string
  readonly seen: readonly Seen[]
  /** Resolves with the next request that was not returned yet. */
  next(): Promise<Seen>
}

/** An HTTP server for one test that answers as scripted, and repeats the last answer. */
export async function scriptedService(...answers: readonly [Answer, ...Answer[]]): Promise<ScriptedService> {
  const seen: Seen[] = []
  const waiting: ((one: Seen) => void)[] = []
  let waitedFor = 0
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const one = { method, path, headers, body: await text(request) }
    const answer = answers[Math.min(seen.length, answers.length - 1)]!
    seen.push(one)
    waiting.shift()?.(one)
    give(typeof answer === 'function' ? answer(one) : answer, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    next: () => {
      const arrived = seen[waitedFor]
      waitedFor += 1
      return arrived === undefined
        ? new Promise((resolve) => waiting.push(resolve))
        : Promise.resolve(arrived)
    },
  }
}

function give(answer: Exclude<Answer, (seen: Seen) => Reply>, response: ServerResponse): void {
  if (answer === 'hang up') response.destroy()
  else if (answer === 'stop halfway')
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"id"')
  else if (answer !== 'say nothing') {
    const { status, headers, body } = answer
    const isText = typeof body === 'string'
    response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
    response.end(isText || body === undefined ? body : JSON.stringify(body))
  }
}

/** An error answer of the service. */
export function problem(
  status: number,
  code: string,
  extras: { readonly headers?: Readonly<Record<string, string>>; readonly errors?: readonly object[] } = {},
): Reply {
  const { headers, errors } = extras
  const body = {
    type: `urn:posthorn:problem:${code}`,
    title: code,
    status,
    detail: `What is wrong is ${code}.`,
    code,
    request_id: 'req_1',
    ...(errors === undefined ? {} : { errors }),
  }
  return { status, headers: { 'content-type': 'application/problem+json', ...headers }, body }
}

export const PUBLISHED: Reply = { status: 202, body: { id: 'evt_1', repeated: false } }
