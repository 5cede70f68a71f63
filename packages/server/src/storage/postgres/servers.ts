/** One server of a cluster. */
export interface Server {
  /** Names this server alone. */
  readonly url: string
  readonly host: string
  readonly port: number
}

/** A sign that ends a part stands for itself nowhere: in a password it would take the rest of it for a host. */
const URL_PARTS = /^(postgres(?:ql)?:\/\/)(?:([^@/?#]*)@)?([^@/?#]+)([^@#]*)$/

/**
 * Takes apart a URL that may name several servers, as PostgreSQL's own tools take it:
 * `postgres://user:password@first:5432,second:5432/database`.
 * @returns the servers; `null` when it is no such URL
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

/** @param url one that {@link parseDatabaseUrl} takes @returns where the database is, for people; without an account */
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

/** Which server to connect to. After a failover it is another one: whoever cannot write asks for the next. */
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

  /** @param refused the one that did not do; when others have moved on from it already, nothing happens */
  moveOn(refused: Server): void {
    if (refused === this.current) this.#at = (this.#at + 1) % this.#servers.length
  }
}
