import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Connections } from '../http/shared/bodies/connections.ts'
import { type Config, SettingError } from './settings.ts'

/** With the engine's own timeout this leaves time within the 20 s that a stop may take. */
const CLOSE_GRACE_MS = 2_000

/** The settings of an address: the prefixes of its variables and flags. */
const PREFIXES = {
  public: { variable: 'POSTHORN_', flag: '--' },
  admin: { variable: 'POSTHORN_ADMIN_', flag: '--admin-' },
} as const

/** Messages for addresses that cannot be listened on. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    '{variable}PORT: another program listens on {address}; stop it, or use another port with {flag}port',
  EACCES:
    '{variable}PORT: this user has no permission to listen on {address}; use port 1024 or higher with {flag}port',
  EADDRNOTAVAIL:
    '{variable}HOST: {address} is not an address of this machine; use another one with {flag}host',
  ENOTFOUND: '{variable}HOST: {address} does not resolve; use another name with {flag}host',
}

type Address = Pick<Config, 'host' | 'port'>

/** Starts to accept requests, at one address or two. @throws SettingError when it cannot listen at a configured address */
export async function listenAt(
  app: FastifyInstance,
  { host, port, adminHost, adminPort }: Pick<Config, 'host' | 'port' | 'adminHost' | 'adminPort'>,
): Promise<void> {
  await namingSettings('public', { host, port }, (address) => app.listen(address))
  const { adminServer } = app
  if (adminServer === null || adminPort === null) return
  await namingSettings('admin', { host: adminHost, port: adminPort }, async (address) => {
    adminServer.listen(address)
    await once(adminServer, 'listening')
  })
}

async function namingSettings(
  which: keyof typeof PREFIXES,
  address: Address,
  listen: (address: Address) => Promise<unknown>,
): Promise<void> {
  try {
    await listen({ ...address })
  } catch (error) {
    const reason = REASONS[String((error as NodeJS.ErrnoException).code)]
    if (reason === undefined) throw error
    const { host, port } = address
    const shown = `${host.includes(':') ? `[${host}]` : host}:${port}`
    const values: Readonly<Record<string, string>> = { ...PREFIXES[which], address: shown }
    throw new SettingError(reason.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!))
  }
}

/** Where a server listens. */
export function listenUrl(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `${server instanceof TlsServer ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Requests in progress may finish; a client that sends nothing more must not delay the stop. */
export async function closeApp(app: FastifyInstance, connections: readonly Connections[]): Promise<void> {
  const { adminServer } = app
  const timer = setTimeout(() => {
    for (const each of connections) each.destroyAll()
  }, CLOSE_GRACE_MS)
  const adminClosed = adminServer?.listening ? once(adminServer, 'close') : null
  adminServer?.close()
  await Promise.all([app.close(), adminClosed])
  clearTimeout(timer)
}
