import type { FastifyInstance } from 'fastify'
import { type Config, SettingError } from './settings.ts'

/** What can be said of an address that cannot be listened on. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'POSTHORN_PORT: something else listens on {address}; stop it, or take another port with --port',
  EACCES: 'POSTHORN_PORT: this user may not listen on {address}; take a port from 1024 on with --port',
  EADDRNOTAVAIL: 'POSTHORN_HOST: {address} is no address of this machine; take another with --host',
  ENOTFOUND: 'POSTHORN_HOST: {address} names no address; take another with --host',
}

/** Begins to take requests. @throws SettingError when it cannot at the address that is set */
export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const reason = REASONS[String((error as NodeJS.ErrnoException).code)]
    if (reason === undefined) throw error
    throw new SettingError(reason.replace('{address}', `${host.includes(':') ? `[${host}]` : host}:${port}`))
  }
}
