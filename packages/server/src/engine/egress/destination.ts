import type { Target } from './dial.ts'

const PATH = /^\/[!-~]*$/

/**
 * The destination of one webhook's requests. A connection carries the requests of one destination only: late or unsolicited
 * data never gets into the log of another webhook, or of another URL of the same one.
 */
export class Destination {
  readonly workspaceId: number
  /** Scheme, host and port. */
  readonly origin: string
  /** Path and query. */
  readonly path: string
  readonly target: Target
  /** The first lines of each request. */
  readonly requestHead: string
  /** Requests with the same key may share connections. */
  readonly key: string

  /** @throws Error for a URL that cannot be requested */
  constructor(params: { readonly webhookId: number; readonly workspaceId: number; readonly url: string }) {
    const url = new URL(params.url)
    const { protocol, hostname, host, port } = url
    if (protocol !== 'https:' && protocol !== 'http:') throw new Error('the URL is neither https: nor http:')
    this.workspaceId = params.workspaceId
    this.origin = url.origin
    this.path = url.pathname + url.search
    if (!PATH.test(this.path)) throw new Error('the path of the URL is not printable ASCII')
    this.target = { protocol, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), host, port }
    this.requestHead = `POST ${this.path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
    this.key = `${params.webhookId} ${this.origin}${this.path}`
  }
}
