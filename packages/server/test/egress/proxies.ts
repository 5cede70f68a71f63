import net, { type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { makeCertificate } from './certificates.ts'
import { type LoopbackServer, serveTcp } from './loopback.ts'

export const NAME = 'hooks.acme-receiver.com'
export const authority = await makeCertificate({ commonName: 'Test root', isAuthority: true })
export const identity = await makeCertificate({ commonName: NAME, dnsNames: [NAME], issuer: authority })

/** Closes resources of a test after it, the last opened first. */
export function closing<T extends { close(): Promise<unknown> }>(opened: T): T {
  onTestFinished(async () => {
    await opened.close()
  })
  return opened
}

export async function opening(server: Promise<LoopbackServer>): Promise<LoopbackServer> {
  return closing(await server)
}

/** A CONNECT proxy that connects every tunnel to one loopback port, whatever name was requested. */
export async function proxyTo(port: number): Promise<LoopbackServer & { heads: string[] }> {
  const heads: string[] = []
  const server = await opening(
    serveTcp((client) =>
      onHead(client, (head) => {
        heads.push(head)
        leadOn(client, port)
      }),
    ),
  )
  return { ...server, heads }
}

/** Reads the head of a request. */
export function onHead(client: Socket, callback: (head: string) => void): void {
  let head = ''
  const read = (chunk: Buffer): void => {
    head += chunk.toString('latin1')
    if (!head.endsWith('\r\n\r\n')) return
    client.off('data', read)
    callback(head)
  }
  client.on('data', read)
}

/** Answers CONNECT once a loopback port accepts the connection, and forwards data in both directions. */
export function leadOn(client: Socket, port: number): void {
  const upstream = net.connect(port, '127.0.0.1')
  upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
  client.on('close', () => upstream.destroy())
  upstream.once('connect', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    client.pipe(upstream).pipe(client)
  })
}
