import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Identity } from '../../receivers/certificate.ts'

/** Connections that wait to be accepted; of more, the kernel would drop what they send, and take it a moment later. */
const BACKLOG = 4_096
/** Longer than senders keep connections, so that none is closed just as a request comes over it. */
const OPTIONS = { keepAliveTimeout: 120_000 }

/** @param identity `null`: plain HTTP. @returns the port */
export function serve(identity: Identity | null, listener: RequestListener): Promise<number> {
  const server =
    identity === null
      ? http.createServer(OPTIONS, listener)
      : https.createServer({ ...OPTIONS, ...identity }, listener)
  return new Promise((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () =>
      resolve((server.address() as AddressInfo).port),
    )
  })
}
