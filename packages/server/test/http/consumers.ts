import { once } from 'node:events'
import http from 'node:http'
import { expect } from 'vitest'
import { type Client, type Json, openClient, type ServiceName } from './client.ts'
import type { TestService } from './service.ts'

/** A workspace with a consumer, and calls on it. */
export async function openConsumer(
  service: TestService,
  name: ServiceName,
  body: object = { start: 'oldest' },
  consumer = 'crm',
) {
  const client = await openClient(service, name)
  expect((await client.post('/consumers', { name: consumer, ...body })).status).toBe(201)
  return { client, ...callsOf(client, consumer) }
}

export function callsOf(client: Client, consumer: string) {
  const path = `/consumers/${consumer}`
  return {
    path,
    async read(query = ''): Promise<Json> {
      const { status, json } = await client.get(`${path}/events?${query}`)
      expect(status).toBe(200)
      return json
    },
    state: async (): Promise<Json> => (await client.get(path)).json,
    acknowledge: (ack: string) => client.post(`${path}/ack`, { ack }),
    seek: (start: object) => client.post(`${path}/seek`, start),
  }
}

export const idsOf = ({ events }: Json): string[] => events.map(({ id }: Json) => id)

/** One message of a stream. */
interface Message {
  readonly id: string
  readonly event: string | undefined
  readonly data: Json
}

/** A stream of a consumer as a client reads it. */
export interface OpenStream {
  next(): Promise<Message>
  /** Resolves when no more comes. */
  readonly ended: Promise<void>
  /** Stops reading from the connection. */
  pause(): void
  close(): void
}

/** @throws the answer that came instead of a stream */
export async function openStream(
  { base }: Pick<TestService, 'base'>,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<OpenStream> {
  const request = http.get(base + url, { headers, agent: false })
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`the answer was ${response.statusCode}`)
  const arrived: Message[] = []
  const waiting: ((message: Message) => void)[] = []
  let rest = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\n\n')
    rest = messages.pop()!
    for (const message of messages.map(readMessage)) {
      if (message === null) continue
      const taker = waiting.shift()
      if (taker === undefined) arrived.push(message)
      else taker(message)
    }
  })
  response.on('error', () => {})
  request.on('error', () => {})
  const ended = new Promise<void>((resolve) => response.once('close', resolve))
  return {
    next: () =>
      arrived.length > 0 ? Promise.resolve(arrived.shift()!) : new Promise((take) => waiting.push(take)),
    ended,
    pause: () => void response.pause(),
    close: () => void request.destroy(),
  }
}

function readMessage(text: string): Message | null {
  const fields = new Map(text.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
  const data = fields.get('data')
  if (data === undefined) return null
  return { id: fields.get('id')!, event: fields.get('event'), data: JSON.parse(data) }
}
