import { createHmac, createSecretKey } from 'node:crypto'
import { decodeSecret, SCHEMES } from '@posthorn/receiver/schemes'
import { Agent, type Dispatcher } from 'undici'
import { startOf } from '../../support/programSide.ts'
import type { BareLoopStart } from './bareLoop.ts'
import { trusting } from './trusting.ts'

const { origin, paths, bodies, secret, inFlight, ca } = await startOf<BareLoopStart>()
const scheme = SCHEMES.standard
const key = createSecretKey(decodeSecret(scheme, secret))
const agent = new Agent({ connections: inFlight, pipelining: 1, ...trusting(ca) })
let sent = 0

function signedHeaders(id: string, body: string): string[] {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  return [
    'content-type',
    'application/json',
    'user-agent',
    'posthorn-bench/1.0',
    'accept-encoding',
    'identity',
    scheme.headers.id,
    id,
    scheme.headers.timestamp,
    timestamp,
    scheme.headers.signature,
    `v1,${mac}`,
  ]
}

function sendNext(): void {
  const number = sent++
  const body = bodies[number % bodies.length]!
  // As long as the service's own ids.
  const id = `evt_${String(number).padStart(26, '0')}`
  agent.dispatch(
    { origin, path: paths[number % paths.length]!, method: 'POST', headers: signedHeaders(id, body), body },
    handler,
  )
}

// The fastest callback style of undici.
const handler: Dispatcher.DispatchHandler = {
  onConnect() {},
  onHeaders(statusCode) {
    if (statusCode !== 204) throw new Error(`the receiver answered ${statusCode}`)
    return true
  },
  onData: () => true,
  onComplete: () => sendNext(),
  onError(error) {
    throw error
  },
}

for (let i = 0; i < inFlight; i++) sendNext()
