import { once } from 'node:events'
import type { Server } from 'node:http'
import { Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Connections } from '../http/shared/bodies/connections.ts'
import { type Config, SettingError } from './settings.ts'

/** With the engine's own patience this leaves room within the 20 s that a stop may take. */
const CLOSE_GRACE_MS = 2_000

/** What sets an address: the beginnings of its variables and flags. */
const PREFIXES = {
  public: { variable: 'POSTHORN_', flag: '--' },
  admin: { variable: 'POSTHORN_ADMIN_', flag: '--admin-' },
} as const

/** What can be said of an address that cannot be listened on. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    '{variable}PORT: something else listens on {address}; stop it, or take another port with {flag}port',
  EACCES: '{variable}PORT: this user may not listen on {address}; take a port from 1024 on with {flag}port',
  EADDRNOTAVAIL: '{variable}HOST: {address} is no address of this machine; take another with {flag}host',
  ENOTFOUND: '{variable}HOST: {address} names no address; take another with {flag}host',
}

type Address = Pick<Config, 'host' | 'port'>

/** Begins to take requests, at one address or two. @throws SettingError when it cannot at an address that is set */
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

/** Requests under way may finish; a client that says nothing more must not hold up the stop. */
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
