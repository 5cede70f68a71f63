import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { onMessage, startOf, tell } from '../support/programSide.ts'
import { answerTo, type Behavior, statusSent } from './behavior.ts'
import { respond } from './respond.ts'
import type { FromReceiver, Hook, ReceiverStart, SeenRequest, ToReceiver } from './scriptedReceiver.ts'
import { signersOf } from './signatures.ts'

interface HookState {
  readonly hook: Hook
  readonly secrets: string[]
  behavior: Behavior
  /** Requests by event. */
  readonly perEvent: Map<string, number>
}

/** Verified when reported, since a secret may become known only after its first use. */
type Unverified = {
  -readonly [K in keyof SeenRequest]: K extends 'signedBy' | 'forgery' ? undefined : SeenRequest[K]
}

const hooks = new Map<string, HookState>()
let requests: Unverified[] = []
let underWay = 0
/** While it is set, every hook answers like this. */
let outage: Behavior | null = null

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const seenAt = Date.now()
  const path = request.url ?? ''
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const state = hookOf(path)
  const seen = look(state?.hook, path, request, Buffer.concat(chunks).toString('utf8'), seenAt)
  requests.push(seen)
  underWay += 1
  response.once('close', () => {
    underWay -= 1
    seen.closedAt = Date.now()
  })
  const earlier = state?.perEvent.get(seen.eventId) ?? 0
  state?.perEvent.set(seen.eventId, earlier + 1)
  const behavior = outage ?? state?.behavior ?? { kind: 'status', status: 404 }
  const answer = answerTo(behavior, seen.eventId, earlier)
  seen.status = statusSent(answer)
  response.once('finish', () => {
    seen.answeredAt = Date.now()
  })
  respond(answer, response, () => {
    seen.answeredAt = Date.now()
  })
}

/** The hook with this path, or above it. */
function hookOf(path: string): HookState | undefined {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const state = hooks.get(at)
    if (state !== undefined) return state
  }
  return undefined
}

function look(
  hook: Hook | undefined,
  path: string,
  request: IncomingMessage,
  body: string,
  seenAt: number,
): Unverified {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  return {
    hook: hook?.path ?? path,
    path,
    eventId: headers['webhook-id'] ?? eventIdIn(body),
    deliveryId: headers['x-service-delivery'] ?? null,
    headers,
    body,
    seenAt,
    answeredAt: null,
    closedAt: null,
    status: null,
    signedBy: undefined,
    forgery: undefined,
  }
}

function eventIdIn(body: string): string {
  try {
    return String((JSON.parse(body) as { id: unknown }).id)
  } catch {
    return 'none'
  }
}

function verified(seen: readonly Unverified[]): Promise<SeenRequest[]> {
  return Promise.all(
    seen.map(async (request) => {
      const state = hooks.get(request.hook)
      if (state === undefined) return { ...request, signedBy: [], forgery: 'no such hook' }
      return { ...request, ...(await signersOf(state.hook.scheme, state.secrets, request)) }
    }),
  )
}

async function obey(message: ToReceiver): Promise<FromReceiver> {
  switch (message.kind) {
    case 'hook': {
      const { path, secrets, behavior } = message.hook
      hooks.set(path, { hook: message.hook, secrets: [...secrets], behavior, perEvent: new Map() })
      return { kind: 'done' }
    }
    case 'secret':
      hooks.get(message.path)!.secrets.push(message.secret)
      return { kind: 'done' }
    case 'behave':
      if (message.path === null) outage = message.behavior
      else hooks.get(message.path)!.behavior = message.behavior!
      return { kind: 'done' }
    case 'forget':
      hooks.clear()
      requests = []
      return { kind: 'done' }
    case 'count':
      return { kind: 'count', requests: requests.length, underWay }
    case 'report':
      return { kind: 'report', requests: await verified(requests) }
  }
}

function listener(request: IncomingMessage, response: ServerResponse): void {
  // A killed sender closes the connection abruptly; then there is nothing to answer.
  handle(request, response).catch(() => request.socket.destroy())
}

const { identity } = await startOf<ReceiverStart>()
// Longer than senders keep connections, so that none closes while a request arrives on it.
const options = { keepAliveTimeout: 120_000 }
const server =
  identity === undefined
    ? http.createServer(options, listener)
    : https.createServer({ ...options, ...identity }, listener)

onMessage<ToReceiver>((message) => void obey(message).then(tell))

server.listen(0, '127.0.0.1', () => {
  tell({ kind: 'listening', port: (server.address() as AddressInfo).port } satisfies FromReceiver)
})
