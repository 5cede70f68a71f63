import { createHash } from 'node:crypto'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { createReceiver, WebhookVerificationError } from '@posthorn/receiver'
import { onMessage, startOf, tell } from '../support/programSide.ts'
import { type Answer, answerTo } from './behaviour.ts'
import type { FromReceiver, Hook, ReceiverStart, SeenRequest, ToReceiver } from './scriptedReceiver.ts'

interface Verifier {
  readonly hook: Hook
  readonly verify: (body: Buffer, headers: IncomingMessage['headers']) => Promise<unknown>
  /** Requests seen, by event. */
  readonly perEvent: Map<string, number>
}

const verifiers = new Map<string, Verifier>()
const requests: SeenRequest[] = []
let underWay = 0

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const seenAt = Date.now()
  const path = request.url ?? ''
  const verifier = verifiers.get(path)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  if (verifier === undefined) {
    response.writeHead(404).end()
    return
  }
  const body = Buffer.concat(chunks)
  const seen = await look(verifier, request, body, seenAt)
  requests.push(seen)
  const earlier = verifier.perEvent.get(seen.eventId) ?? 0
  verifier.perEvent.set(seen.eventId, earlier + 1)
  const answer = answerTo(verifier.hook.behaviour, seen.eventId, earlier)
  underWay += 1
  response.once('close', () => {
    underWay -= 1
  })
  give(answer, seen, request, response)
}

async function look(
  { hook, verify }: Verifier,
  request: IncomingMessage,
  body: Buffer,
  seenAt: number,
): Promise<SeenRequest> {
  const forgery = await verify(body, request.headers).then(
    () => null,
    (error: unknown) => (error instanceof WebhookVerificationError ? error.code : String(error)),
  )
  const isStandard = hook.scheme === 'standard'
  return {
    path: hook.path,
    eventId: isStandard ? String(request.headers['webhook-id']) : eventIdIn(body),
    deliveryId: isStandard ? null : String(request.headers['x-service-delivery']),
    seenAt,
    answeredAt: null,
    status: null,
    forgery,
    bodyHash: createHash('sha256').update(body).digest('base64'),
  }
}

function eventIdIn(body: Buffer): string {
  return String((JSON.parse(body.toString('utf8')) as { id: unknown }).id)
}

function give(answer: Answer, seen: SeenRequest, request: IncomingMessage, response: ServerResponse): void {
  if ('hangUp' in answer) {
    request.socket.destroy()
    return
  }
  seen.status = answer.status
  response.once('finish', () => {
    seen.answeredAt = Date.now()
  })
  if (answer.delayMs === 0) response.writeHead(answer.status).end()
  else setTimeout(() => response.writeHead(answer.status).end(), answer.delayMs)
}

function listener(request: IncomingMessage, response: ServerResponse): void {
  // A sender that was killed breaks off in the middle; there is nothing to answer then.
  handle(request, response).catch(() => request.socket.destroy())
}

const { identity } = await startOf<ReceiverStart>()
// Longer than senders keep connections, so that none is closed just as a request comes over it.
const options = { keepAliveTimeout: 120_000 }
const server =
  identity === undefined
    ? http.createServer(options, listener)
    : https.createServer({ ...options, ...identity }, listener)

onMessage<ToReceiver>((message) => {
  if (message.kind === 'hook') {
    const { hook } = message
    const receiver = createReceiver({ scheme: hook.scheme, secrets: hook.secret })
    verifiers.set(hook.path, {
      hook,
      verify: (body, headers) => receiver.verify(body, headers),
      perEvent: new Map(),
    })
    tell({ kind: 'hooked' } satisfies FromReceiver)
  } else if (message.kind === 'report') tell({ kind: 'report', requests } satisfies FromReceiver)
  else tell({ kind: 'count', requests: requests.length, underWay } satisfies FromReceiver)
})

server.listen(0, '127.0.0.1', () => {
  tell({ kind: 'listening', port: (server.address() as AddressInfo).port } satisfies FromReceiver)
})
