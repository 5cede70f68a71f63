import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** A product's own site, on an origin of its own: each page shows another in a frame. */
export class HostSite {
  readonly #server: http.Server
  #framed = 'about:blank'
  #allow = ''

  private constructor() {
    this.#server = http.createServer((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(
          `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Host</title><h1>Your account</h1><iframe title="Webhooks" src="${this.#framed}" allow="${this.#allow}" width="1100" height="700"></iframe></html>`,
        )
    })
  }

  static async start(): Promise<HostSite> {
    const site = new HostSite()
    await new Promise<void>((resolve) => site.#server.listen(0, '127.0.0.1', resolve))
    return site
  }

  /** Another site than the service's: browsers judge by the host's name. */
  get origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`
  }

  /** What its pages show in their frame from now on. @param allow what the frame may do, as in the attribute of that name */
  frame(url: string, allow = ''): void {
    this.#framed = url
    this.#allow = allow
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }
}
