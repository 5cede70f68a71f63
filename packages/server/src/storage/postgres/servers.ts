import { StoreUnavailableError } from '../storage.ts'
import { toStoreError } from './failures.ts'

/** One server of a cluster. */
export interface Server {
  /** Identifies this server. */
  readonly url: string
  readonly host: string
  readonly port: number
}

/** A delimiter must be percent-encoded elsewhere: in a password it would turn the rest of it into a host. */
const URL_PARTS = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^@/?#]+)([^@#]*)$/

/**
 * Parses a URL that may name several servers, in the syntax of PostgreSQL's own tools:
 * `postgres://user:password@first:5432,second:5432/database`.
 * @returns the servers; `null` when it is not such a URL
 */
export function parseDatabaseUrl(text: string): readonly Server[] | null {
  const [, scheme, account, hosts, rest] = URL_PARTS.exec(text) ?? []
  if (scheme === undefined || hosts === undefined) return null
  const urls = hosts
    .split(',')
    .map((host) => `${scheme}${account === undefined ? '' : `${account}@`}${host}${rest}`)
  if (/\s/.test(text) || !isDecodable(text) || !urls.every((url) => URL.canParse(url))) return null
  const servers = urls.map((url) => {
    const { hostname, port } = new URL(url)
    return { url, host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 5432 : Number(port) }
  })
  return servers.some(({ host }) => host === '') ? null : servers
}

/** @param url accepted by {@link parseDatabaseUrl} @returns the location of the database, for people; without credentials */
export function placeOf(url: string): string {
  const servers = parseDatabaseUrl(url)!
  return `${servers.map(({ host, port }) => `${host}:${port}`).join()}${new URL(servers[0]!.url).pathname}`
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Chooses the server to connect to. After a failover it is another one: a call that cannot write moves on to the next. */
export class ServerChoice {
  readonly #servers: readonly Server[]
  #at = 0

  constructor(servers: readonly Server[]) {
    this.#servers = servers
  }

  get current(): Server {
    return this.#servers[this.#at]!
  }

  get count(): number {
    return this.#servers.length
  }

  /** @param refused the server that failed; if another call has already moved on from it, nothing happens */
  moveOn(refused: Server): void {
    if (refused === this.current) this.#at = (this.#at + 1) % this.#servers.length
  }
}

/** No server could be connected to; the message has the reason for each that was tried. */
export class UnreachableError extends StoreUnavailableError {
  constructor(failures: ReadonlyMap<Server, unknown>) {
    const reasons = [...failures].map(([{ url }, error]) => `${placeOf(url)}: ${reasonOf(error)}`)
    super(reasons.join('; '), { cause: [...failures.values()].at(-1) })
  }
}

/** @returns why a database cannot be used, with its place, in one line for the operator */
export function refusalOf(url: string, error: unknown): string {
  return error instanceof UnreachableError ? error.message : `${placeOf(url)}: ${reasonOf(error)}`
}

function reasonOf(error: unknown): string {
  const { message } = toStoreError(error)
  // The client notices it while it answers the server.
  if (/^SASL: .*client password must be/.test(message))
    return 'the server requires a password, and the URL does not contain one'
  // For a name with several addresses, the error has one error for each and no message of its own.
  if (message === '' && error instanceof AggregateError)
    return error.errors.map((one: Error) => one.message).join(', ')
  return message
}
