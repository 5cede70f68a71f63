import http from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'

/** How a path of the receiver answers. */
const ANSWERS: Readonly<Record<string, (response: http.ServerResponse) => void>> = {
  '/ok': (response) => response.writeHead(204).end(),
  '/text': (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('thanks'),
  '/bytes': (response) => response.writeHead(500).end(Buffer.from([0, 0xff, 0xfe, 0x80])),
  '/fail': (response) => response.writeHead(503, { 'retry-after': '1' }).end('no'),
  '/later': (response) => response.writeHead(503, { 'retry-after': '3600' }).end('later'),
  '/gone': (response) => response.writeHead(410).end(),
  '/moved': (response) => response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
  '/hangs-up': (response) => void response.destroy(),
}

/**
 * The only network that a service under test can reach: a webhook receiver on this machine, and a proxy for
 * all its connections that opens them only to the receiver. No request leaves the machine, whatever its
 * target.
 */
export class Playground {
  readonly #receiver: http.Server
  readonly #proxy: http.Server
  readonly #sockets = new Set<Socket>()
  readonly #received = new Map<string, number>()
  #refused = 0

  private constructor() {
    this.#receiver = http.createServer({ keepAliveTimeout: 120_000 }, (request, response) =>
      this.#receive(request, response),
    )
    this.#proxy = http.createServer((_request, response) => response.writeHead(502).end())
    this.#proxy.on('connect', (request, socket) => this.#connect(request.url ?? '', socket as Socket))
    for (const server of [this.#receiver, this.#proxy]) {
      server.on('connection', (socket: Socket) => this.#follow(socket))
    }
  }

  static async start(): Promise<Playground> {
    const playground = new Playground()
    for (const server of [playground.#receiver, playground.#proxy]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    }
    return playground
  }

  /** For `POSTHORN_EGRESS_PROXY`. */
  get proxyUrl(): string {
    return `http://${authorityOf(this.#proxy)}`
  }

  /** URLs of the receiver, each answering differently. */
  get targets(): readonly string[] {
    return Object.keys(ANSWERS).map((path) => this.urlOf(path))
  }

  /** A separate path, which answers 204, to observe what arrives. */
  urlOf(path: string): string {
    return `http://${authorityOf(this.#receiver)}${path}`
  }

  /** Number of requests to a path. */
  received(path: string): number {
    return this.#received.get(path) ?? 0
  }

  /** Connections to other targets that the service asked for and did not get. */
  get refused(): number {
    return this.#refused
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    for (const server of [this.#receiver, this.#proxy]) {
      await new Promise<void>((resolve) => server.close(() => resolve()))
    }
  }

  #receive(request: http.IncomingMessage, response: http.ServerResponse): void {
    const path = request.url ?? ''
    request.resume().once('end', () => {
      this.#received.set(path, this.received(path) + 1)
      const answer = ANSWERS[path] ?? ANSWERS['/ok']!
      answer(response)
    })
  }

  #connect(authority: string, socket: Socket): void {
    if (authority !== authorityOf(this.#receiver)) {
      this.#refused += 1
      socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n')
      return
    }
    const { port } = this.#receiver.address() as AddressInfo
    const onwards = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      socket.pipe(onwards).pipe(socket)
    })
    this.#follow(onwards)
    socket.once('close', () => onwards.destroy())
    onwards.once('close', () => socket.destroy())
  }

  #follow(socket: Socket): void {
    this.#sockets.add(socket)
    // A service that is stopped closes connections abruptly.
    socket.on('error', () => undefined)
    socket.once('close', () => this.#sockets.delete(socket))
  }
}

function authorityOf(server: net.Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}
