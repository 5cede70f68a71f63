import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Identity } from '../../receivers/certificate.ts'

/** Longer than senders keep connections, so that none is closed just as a request comes over it. */
const OPTIONS = { keepAliveTimeout: 120_000 }

/** @param identity `null`: plain HTTP. @returns the port */
export function serve(identity: Identity | null, listener: RequestListener): Promise<number> {
  const server =
    identity === null
      ? http.createServer(OPTIONS, listener)
      : https.createServer({ ...OPTIONS, ...identity }, listener)
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
