import type { Command } from 'commander'
import { configOf, withSettings } from '../flags.ts'
import { ADMIN_SETTINGS } from '../settings.ts'
import { adminServiceUrl, adminTokenOf, call } from './client.ts'

/** Help texts for commands that call a running service. */
export const MEANINGS = {
  publicUrl: 'URL of the service (default: from host and port)',
  host: 'address that the service listens on',
  port: 'port that the service listens on',
  tlsCertFile: 'set it if the service uses HTTPS; the default URL then begins with https://',
  adminUrl: 'URL of the admin listener, if there is one',
  adminHost: 'address of the admin listener, if there is one',
  adminPort: 'port of the admin listener, if there is one',
  adminToken: "the service's admin token (default: read from its data directory)",
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
