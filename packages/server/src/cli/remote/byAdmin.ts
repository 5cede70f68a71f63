import type { Command } from 'commander'
import { configOf, withSettings } from '../flags.ts'
import { ADMIN_SETTINGS } from '../settings.ts'
import { adminServiceUrl, adminTokenOf, call } from './client.ts'

/** Help texts for commands that call a running service. */
export const MEANINGS = {
  publicUrl: 'where the service is reached; default: from host and port',
  host: 'address that the service listens on',
  port: 'port that the service listens on',
  tlsCertFile: 'set if the service speaks HTTPS, for the default URL from host and port',
  adminUrl: 'where the administration is reached if it has an address of its own',
  adminHost: 'address that the administration listens on if it has a port of its own',
  adminPort: 'port that the administration listens on if it has one of its own',
  adminToken: "the service's admin token; read from its data directory when not set",
  dataDir: "the service's data directory",
} satisfies Record<(typeof ADMIN_SETTINGS)[number], string>

type AdminCall = (method: string, path: string, body?: unknown) => Promise<unknown>

/** Adds the settings for calling the admin API to a command, and passes a client to its action. */
export function byAdmin(
  command: Command,
  actionWith: (admin: AdminCall) => Parameters<Command['action']>[0],
): void {
  const admin: AdminCall = async (method, path, body) => {
    const config = await configOf(command.opts(), ADMIN_SETTINGS)
    return call({ url: adminServiceUrl(config), method, path, bearer: adminTokenOf(config), body })
  }
  withSettings(command, ADMIN_SETTINGS, MEANINGS).action(actionWith(admin))
}

/** Prints a response, for people and programs. */
export function print(answer: unknown): void {
  if (answer !== null) process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`)
}
