import type { Delivery, DeliveryFilter } from '../model/delivery.ts'
import type { Service } from '../model/service.ts'
import { EventStreamReader } from './eventStream.ts'
import { ProblemError } from './problem.ts'
import { send } from './send.ts'

/** The service sends a message or a heartbeat more often than this. */
const SILENCE_MS = 60_000

export interface LiveBatch {
  readonly deliveries: readonly Delivery[]
  /** Whether there were more changes than fit into a batch. */
  readonly more: boolean
}

/**
 * Streams new and changed deliveries of a workspace until the service ends the stream.
 * @throws ProblemError when it is rejected, OfflineError without a response, or the error that broke the connection
 */
export async function readLiveDeliveries(params: {
  readonly ws: string
  readonly service: Service
  readonly filter: DeliveryFilter
  readonly signal: AbortSignal
  readonly onOpen: () => void
  readonly onBatch: (batch: LiveBatch) => void
}): Promise<void> {
  const { ws, service, filter, signal, onOpen, onBatch } = params
  const silence = new AbortController()
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), SILENCE_MS)
  }
  let timer = setTimeout(() => silence.abort(), SILENCE_MS)
  try {
    const response = await send(
      new Request(liveUrl(ws, filter), {
        headers: { accept: 'text/event-stream' },
        cache: 'no-store',
        signal: AbortSignal.any([signal, silence.signal]),
      }),
    )
    if (!response.ok || response.body === null) throw new ProblemError(response, await problemOf(response))
    onOpen()
    const messages = new EventStreamReader()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      heard()
      for (const { event, data } of messages.push(chunk.value)) {
        if (event === 'deliveries') onBatch(batchOf(data, service))
      }
    }
  } finally {
    clearTimeout(timer)
    // Also closes the stream after a parse error, since browsers limit open connections.
    silence.abort()
  }
}

function liveUrl(ws: string, filter: DeliveryFilter): URL {
  const { q, webhookId, status, eventType, statusCode, eventId } = filter
  const url = new URL(
    `/console/v1/workspaces/${encodeURIComponent(ws)}/deliveries/live`,
    window.location.origin,
  )
  const query = {
    q,
    webhook_id: webhookId,
    status,
    event_type: eventType,
    status_code: statusCode,
    event_id: eventId,
  }
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return url
}

function batchOf(data: string, service: Service): LiveBatch {
  const { deliveries, more } = JSON.parse(data) as { deliveries: unknown[]; more: boolean }
  return { deliveries: deliveries.map((json) => service.readDelivery(json)), more }
}

const problemOf = (response: Response): Promise<unknown> => response.json().catch(() => null)
