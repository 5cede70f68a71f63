import { once } from 'node:events'
import http from 'node:http'
import net, { type Socket } from 'node:net'
import { freePort } from './freePort.ts'

const HOST = '127.0.0.1'

/** Its response to CONNECT. */
type Answer = 'connects' | 'silent' | 407 | 502

/** A forward proxy for CONNECT on the loopback interface that can be made to fail. */
export class ForwardProxy {
  readonly port: number
  readonly #server: http.Server
  readonly #sockets = new Set<Socket>()
  #answer: Answer = 'connects'

  private constructor(port: number) {
    this.port = port
    this.#server = http.createServer()
    this.#server.on('connection', (socket: Socket) => {
      this.#follow(socket)
    })
    this.#server.on('connect', ({ url }: http.IncomingMessage, client: Socket) =>
      this.#connect(url ?? '', client),
    )
  }

  static async start(): Promise<ForwardProxy> {
    const proxy = new ForwardProxy(await freePort())
    await proxy.heal()
    return proxy
  }

  get url(): string {
    return `http://${HOST}:${this.port}`
  }

  /** Simulates a dead network: nothing gets through, and nothing is answered. */
  silence(): void {
    this.#answer = 'silent'
    for (const socket of this.#sockets) socket.pause()
  }

  /** Rejects every CONNECT, as for a wrong password or an unknown name, and closes open connections. */
  refuseWith(status: 407 | 502): void {
    this.#answer = status
    this.#drop()
  }

  /** Stops it with all connections. */
  die(): void {
    this.#server.close()
    this.#drop()
  }

  async heal(): Promise<void> {
    this.#answer = 'connects'
    // Data that was held back is lost, since its sender has timed out.
    for (const socket of this.#sockets) if (socket.isPaused()) socket.destroy()
    if (this.#server.listening) return
    this.#server.listen(this.port, HOST)
    await once(this.#server, 'listening')
  }

  stop(): void {
    this.die()
  }

  /** Closes open connections. */
  #drop(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #follow(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    if (this.#answer === 'silent') socket.pause()
  }

  #connect(authority: string, client: Socket): void {
    if (this.#answer === 'silent') {
      client.pause()
      return
    }
    if (this.#answer !== 'connects') {
      client.end(`HTTP/1.1 ${this.#answer} No\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    const { hostname, port } = new URL(`http://${authority}`)
    const upstream = net.connect(Number(port), hostname.replace(/^\[(.*)\]$/, '$1'))
    this.#follow(upstream)
    upstream.once('close', () => client.destroy())
    client.once('close', () => upstream.destroy())
    upstream.once('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      client.pipe(upstream).pipe(client)
    })
  }
}
