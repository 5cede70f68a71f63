import createClient, { type Client, defaultPathSerializer, type Middleware } from 'openapi-fetch'
import { unexpected } from './answer.ts'
import {
  type ConnectionOptions,
  checkCredential,
  readSettings,
  type Settings,
  type Sleep,
} from './settings.ts'
import { createTransport } from './transport.ts'

/** What long-running calls need. */
export type Surroundings = Pick<Settings, 'sleep' | 'random' | 'timeoutMs'>

interface Connection<Paths extends object> {
  /** The low-level client, with the credential in place and with retries. */
  readonly api: Client<Paths>
  /** Waits between two polls. */
  readonly sleep: Sleep
  readonly surroundings: Surroundings
}

/** @throws TypeError for options that cannot work */
export function connect<Paths extends object>(
  options: ConnectionOptions,
  credential: { readonly name: string; readonly value: string },
): Connection<Paths> {
  const settings = readSettings(options)
  checkCredential(credential.name, credential.value)
  const api = createClient<Paths>({
    baseUrl: settings.baseUrl,
    fetch: createTransport(settings),
    headers: { authorization: `Bearer ${credential.value}` },
    pathSerializer,
  })
  api.use(refuseStrangers)
  return { api, sleep: settings.sleep, surroundings: settings }
}

function pathSerializer(path: string, values: Record<string, unknown>): string {
  for (const [, name] of path.matchAll(/\{(\w+)\}/g)) checkPathValue(name!, values[name!])
  return defaultPathSerializer(path, values)
}

/**
 * An empty id, `.` or `..` would change the path, so that another resource would be read or deleted.
 * @throws TypeError that names the parameter
 */
export function checkPathValue(name: string, value: unknown): void {
  if (typeof value === 'string' && !/^\.{0,2}$/.test(value)) return
  throw new TypeError(`${name} must be an id`)
}

/** A successful response that is not JSON did not come from Posthorn and must not pass as one. */
const refuseStrangers: Middleware = {
  async onResponse({ response, options }) {
    if (!response.ok || response.status === 204 || options.parseAs !== 'json') return
    if (/^application\/json\b/i.test(response.headers.get('content-type') ?? '')) return
    throw unexpected(response, await response.text())
  },
}
