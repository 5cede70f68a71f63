import http from 'node:http'
import type { AddressInfo } from 'node:net'

const FRAMED = 'framed'

/** A product's site with its own origin: each page shows another in a frame. */
export class HostSite {
  readonly #server: http.Server
  #framed = 'about:blank'
  #allow = ''

  private constructor() {
    this.#server = http.createServer(({ url = '/' }, response) => {
      const framed = new URL(url, 'http://localhost').searchParams.get(FRAMED) ?? this.#framed
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(
          `<!doctype html><html lang="en"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>Host</title><h1>Your account</h1><iframe title="Webhooks" src="${framed}" allow="${this.#allow}" width="100%" height="700" style="border: 0"></iframe></html>`,
        )
    })
  }

  static async start(): Promise<HostSite> {
    const site = new HostSite()
    await new Promise<void>((resolve) => site.#server.listen(0, '127.0.0.1', resolve))
    return site
  }

  /** Another site than the service's: browsers decide by the host name. */
  get origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  /**
   * Sets what its pages show in their frame from now on. @param allow what the frame may do, as in the
   * attribute of that name
   */
  frame(url: string, allow = ''): void {
    this.#framed = url
    this.#allow = allow
  }

  /** The address of a page that always embeds this one. */
  pageAround(url: string): string {
    return `${this.origin}/?${new URLSearchParams({ [FRAMED]: url })}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }
}
