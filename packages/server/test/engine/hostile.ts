import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import type { AttemptOutcome } from '../../src/core/delivery.ts'
import { parseEgressRules } from '../../src/core/targets/index.ts'
import { Sender } from '../../src/engine/attempt/sender.ts'
import { createEgressAgent, Destination } from '../../src/engine/egress/index.ts'
import { type LoopbackServer, serveTcp } from '../egress/loopback.ts'
import { settled } from './fakes.ts'

/** For tests in which it expires: short, yet above what loopback needs on a busy machine. */
export const TIMEOUT_MS = 800

/** For tests in which it never expires. */
const AMPLE_TIMEOUT_MS = 20_000

const BODY = '{"type":"brick.stacked"}'
const RULES = parseEgressRules({ allow: '127.0.0.1/32' })

export interface Receiver extends LoopbackServer {
  /** Complete requests received. */
  readonly requests: () => number
}

/** A plain TCP receiver: `respond` is called with each complete request and answers anything, or nothing. */
export async function receiver(respond: (socket: Socket, request: number) => void): Promise<Receiver> {
  let requests = 0
  const server = await serveTcp((socket) => {
    let seen = ''
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1')
      if (!seen.endsWith(BODY)) return
      seen = ''
      respond(socket, ++requests)
    })
  })
  onTestFinished(() => server.close())
  return {
    ...server,
    requests: () => requests,
    allClosed: async () => {
      await Promise.all(server.connections.map((socket) => socket.closed || closed(socket)))
    },
  }
}

/** Real time, with a count of the timers that are set. */
export class CountingClock implements Clock {
  pending = 0

  now(): number {
    return systemClock.now()
  }

  monotonic(): number {
    return systemClock.monotonic()
  }

  after(delayMs: number, callback: () => void) {
    this.pending++
    const done = () => {
      this.pending--
    }
    const timer = systemClock.after(delayMs, () => {
      done()
      callback()
    })
    return {
      cancel: () => {
        timer.cancel()
        done()
      },
    }
  }
}

export interface TestSender {
  readonly sender: Sender
  readonly clock: CountingClock
  /** Number of reported ends, over all requests. */
  readonly ends: () => number
  send(
    port: number,
    path?: string,
  ): Promise<{ readonly outcome: AttemptOutcome; readonly durationMs: number }>
}

export function startSender({
  timeoutMs = AMPLE_TIMEOUT_MS,
  maxConnectionsPerDestination = 64,
} = {}): TestSender {
  const clock = new CountingClock()
  const agent = createEgressAgent({
    rules: RULES,
    connectTimeoutMs: timeoutMs,
    maxConnectionsPerDestination,
  })
  const sender = new Sender({ agent, clock, timeoutMs })
  let ends = 0
  onTestFinished(() => sender.destroy())
  return {
    sender,
    clock,
    ends: () => ends,
    send: (port, path = '/hook') =>
      new Promise((resolve) => {
        sender.send(requestTo(port, path), (outcome, durationMs) => {
          ends++
          resolve({ outcome, durationMs })
        })
      }),
  }
}

export function requestTo(port: number, path = '/hook') {
  return requestToUrl(`http://127.0.0.1:${port}${path}`)
}

export function requestToUrl(url: string) {
  return {
    destination: new Destination({ webhookId: 1, workspaceId: 1, url }),
    headers: ['content-type', 'application/json'],
    body: BODY,
  }
}

/** Unlike events.once, not rejected by a reset. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.resume().once('close', resolve))
}

/** Connected sockets of this process, after a few turns of the event loop in which released ones close. */
export async function openSockets(): Promise<number> {
  const count = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
  for (let turn = 0; turn < 100 && count() > 0; turn++) await settled()
  return count()
}

export function bytes(...parts: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
}
