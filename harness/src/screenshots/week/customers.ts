import { writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeLoopbackIdentity } from '../../receivers/certificate.ts'
import type { Settings } from '../../support/posthorn.ts'

/** `cut`: the connection breaks before the answer. */
export type Answer =
  | 'cut'
  | {
      readonly status: number
      readonly contentType?: string
      readonly body?: string
      readonly after?: number
    }

export interface CustomerSite {
  readonly url: string
  /** Response time, ms. */
  readonly tookMs: () => number
  readonly answer: () => Answer
}

/**
 * All customers' servers, by name: the service reaches them through a forward proxy that connects every name
 * to this process, so that pages show realistic addresses.
 */
export class Customers {
  readonly #sites: ReadonlyMap<string, CustomerSite>
  readonly #servers: readonly (http.Server | https.Server)[]
  readonly #settings: Settings
  #refused = 0
  #underWay = 0

  private constructor(
    sites: readonly CustomerSite[],
    identity: { readonly cert: string; readonly key: string },
    directory: string,
  ) {
    this.#sites = new Map(sites.map((site) => [site.url, site]))
    const receiver = https.createServer(identity, (request, response) => {
      this.#receive(request, response).catch(() => request.socket.destroy())
    })
    const proxy = http.createServer()
    proxy.on('connect', (_request, caller: net.Socket, head: Buffer) => {
      const inside = net.connect((receiver.address() as AddressInfo).port, '127.0.0.1', () => {
        caller.write('HTTP/1.1 200 Connection established\r\n\r\n')
        inside.write(head)
        caller.pipe(inside).pipe(caller)
      })
      for (const [one, other] of [
        [caller, inside],
        [inside, caller],
      ] as const) {
        one.on('error', () => other.destroy())
        one.on('close', () => other.destroy())
      }
    })
    this.#servers = [receiver, proxy]
    const certificate = path.join(directory, 'customers.pem')
    writeFileSync(certificate, identity.cert)
    this.#settings = {
      POSTHORN_EGRESS_CA_FILE: certificate,
      POSTHORN_EGRESS_ALLOW: namesOf(sites).join(','),
    }
  }

  static async start(sites: readonly CustomerSite[], directory: string): Promise<Customers> {
    const customers = new Customers(sites, await makeLoopbackIdentity(namesOf(sites)), directory)
    for (const server of customers.#servers) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    }
    return customers
  }

  /** Settings for the service that sends to them. */
  get settings(): Settings {
    const { port } = this.#servers[1]!.address() as AddressInfo
    return { ...this.#settings, POSTHORN_EGRESS_PROXY: `http://127.0.0.1:${port}` }
  }

  /** Number of rejected requests so far. */
  get refused(): number {
    return this.#refused
  }

  /** Number of unanswered requests. */
  get underWay(): number {
    return this.#underWay
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) {
      server.close()
      server.closeAllConnections()
    }
  }

  async #receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    this.#underWay += 1
    response.once('close', () => {
      this.#underWay -= 1
    })
    for await (const _chunk of request);
    const site = this.#sites.get(`https://${request.headers.host}${request.url}`)
    if (site === undefined) throw new Error(`no site at ${request.headers.host}${request.url}`)
    const answer = site.answer()
    await sleep(site.tookMs())
    if (answer === 'cut') {
      this.#refused += 1
      request.socket.destroy()
      return
    }
    const { status, contentType, body = '', after } = answer
    if (status >= 300) this.#refused += 1
    response
      .writeHead(status, {
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...(after === undefined ? {} : { 'retry-after': String(after) }),
      })
      .end(body)
  }
}

const namesOf = (sites: readonly CustomerSite[]) => [
  ...new Set(sites.map(({ url }) => new URL(url).hostname)),
]
