import type { ServerResponse } from 'node:http'
import { expect } from 'vitest'
import { type Client, eventOf, type Json } from './client.ts'
import type { TestService } from './service.ts'

export const REPLAY = '/webhook-deliveries/replay'

const TIMEOUT_MS = 20_000
const MAX_BATCH = 1000

/** An answer that makes every delivery die here. */
export const refuse = (response: ServerResponse) => void response.writeHead(503).end()

/** Publishes events whose single deliveries end dead. */
export async function die(service: TestService, client: Client, count: number): Promise<void> {
  for (let left = count; left > 0; left -= MAX_BATCH) {
    const events = Array.from({ length: Math.min(left, MAX_BATCH) }, () => eventOf('ads'))
    expect((await client.post('/events/batch', { events })).status).toBe(202)
  }
  await service.recorded(count)
}

export async function replay(client: Client, body: object = {}): Promise<Json> {
  const { status, json, headers } = await client.post(REPLAY, body)
  expect(status).toBe(202)
  expect(headers.location).toBe(`/api/v1/webhook-deliveries/replays/${json.id}`)
  return json
}

/** Resolves to the replay once it is finished. */
export async function finished(client: Client, { id }: Json): Promise<Json> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const { json } = await client.get(`/webhook-deliveries/replays/${id}`)
    if (json.status === 'finished') return json
    expect([json.finishedAt, json.replayed <= json.total]).toEqual([null, true])
    if (performance.now() > deadline) throw new Error('waited in vain for the end of a replay')
  }
}
