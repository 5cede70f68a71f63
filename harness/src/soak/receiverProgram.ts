import type { IncomingMessage, ServerResponse } from 'node:http'
import { serve } from '../bench/programs/receiverServer.ts'
import { answerTo, type Behavior, statusSent } from '../receivers/behavior.ts'
import { respond } from '../receivers/respond.ts'
import { signersOf } from '../receivers/signatures.ts'
import { onMessage, startOf, tell } from '../support/programSide.ts'
import { numberIn } from './numbered.ts'
import type { Arrivals, FromSoakReceiver, SoakHook, SoakReceiverStart, ToSoakReceiver } from './receiver.ts'

type Counts = { -readonly [K in keyof Arrivals]: Arrivals[K] }

interface HookState {
  readonly hook: SoakHook
  behavior: Behavior
  readonly counts: Counts
}

const { identity, events } = await startOf<SoakReceiverStart>()
const hooks = new Map<string, HookState>()

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const state = hooks.get(request.url ?? '')
  if (state === undefined) {
    response.writeHead(404).end()
    return
  }
  const { hook, behavior, counts } = state
  const body = Buffer.concat(chunks).toString('utf8')
  counts.requests += 1
  const forgery = await forgeryOf(hook, request, body)
  if (forgery !== null) {
    counts.forged += 1
    counts.forgery ??= forgery
  }
  const number = numberIn(hook.dialect, body)
  const earlier = counts.attempts[number] ?? 0
  increase(counts.attempts, number)
  const answer = answerTo(behavior, String(number), earlier)
  const status = statusSent(answer)
  response.once('finish', () => {
    if (status === null || status >= 300) return
    if (counts.accepted[number] !== 0) counts.repeated += 1
    increase(counts.accepted, number)
  })
  respond(answer, response, () => {})
}

function increase(counts: Uint8Array, at: number): void {
  if (at < counts.length && counts[at]! < 255) counts[at]! += 1
}

async function forgeryOf({ scheme, secret }: SoakHook, request: IncomingMessage, body: string) {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  return (await signersOf(scheme, [secret], { body, headers, seenAt: Date.now() })).forgery
}

const emptyCounts = (): Counts => ({
  requests: 0,
  repeated: 0,
  forged: 0,
  forgery: null,
  attempts: new Uint8Array(events),
  accepted: new Uint8Array(events),
})

function obey(message: ToSoakReceiver): FromSoakReceiver {
  switch (message.kind) {
    case 'hook':
      hooks.set(message.hook.path, {
        hook: message.hook,
        behavior: message.hook.behavior,
        counts: emptyCounts(),
      })
      return { kind: 'done' }
    case 'behave':
      hooks.get(message.path)!.behavior = message.behavior
      return { kind: 'done' }
    case 'remove':
      hooks.delete(message.path)
      return { kind: 'done' }
    case 'count':
      return { kind: 'count', requests: hooks.get(message.path)?.counts.requests ?? 0 }
    case 'report':
      return { kind: 'report', arrivals: hooks.get(message.path)?.counts ?? emptyCounts() }
  }
}

const port = await serve(identity, (request, response) => {
  handle(request, response).catch(() => request.socket.destroy())
})
onMessage<ToSoakReceiver>((message) => tell(obey(message)))
tell({ kind: 'listening', port } satisfies FromSoakReceiver)
