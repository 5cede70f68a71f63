import http, { type RequestListener } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Identity } from '../../receivers/certificate.ts'

/**
 * Connections waiting to be accepted. Beyond these, the kernel drops packets, which arrive later on a retry.
 */
const BACKLOG = 4_096
/** Longer than senders keep connections, so that none closes while a request arrives on it. */
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
