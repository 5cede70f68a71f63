import type { Command } from 'commander'
import { configOf, withSettings } from '../flags.ts'
import { ADMIN_SETTINGS } from '../settings.ts'
import { adminTokenOf, call, serviceUrl } from './client.ts'

/** What these settings mean to a command that looks for a service, and does not start one. */
export const MEANINGS = {
  publicUrl: 'where the service is reached; made of host and port when not set',
  host: 'address that the service listens on',
  port: 'port that the service listens on',
  adminToken: "the service's admin token; read from its data directory when not set",
  dataDir: "the service's data directory",
} satisfies Record<(typeof ADMIN_SETTINGS)[number], string>

type AdminCall = (method: string, path: string, body?: unknown) => Promise<unknown>

/** Gives a command the settings that open the administration, and its action the way to call it. */
export function byAdmin(
  command: Command,
  actionWith: (admin: AdminCall) => Parameters<Command['action']>[0],
): void {
  const admin: AdminCall = (method, path, body) => {
    const config = configOf(command.opts(), ADMIN_SETTINGS)
    return call({ url: serviceUrl(config), method, path, bearer: adminTokenOf(config), body })
  }
  withSettings(command, ADMIN_SETTINGS, MEANINGS).action(actionWith(admin))
}

/** Writes an answer for people and programs. */
export function print(answer: unknown): void {
  if (answer !== null) process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`)
}
