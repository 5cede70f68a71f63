import { once } from 'node:events'
import { createServer, type Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './freePort.ts'

/** Target of connections. */
export interface TcpTarget {
  readonly host: string
  readonly port: number
}

/** From the client, or to it. */
export type Direction = 'requests' | 'answers'

const HOST = '127.0.0.1'
const PIECE_EVERY_MS = 1

/** The current state of the network. */
interface Weather {
  target: TcpTarget
  silent: ReadonlySet<Direction>
  delayMs: number
  /** `null`: no limit. */
  pieceBytes: number | null
}

/**
 * A network path to a server that fails on command. It listens on the loopback interface. Data that it holds
 * back arrives after healing, as TCP would retransmit it.
 */
export class TcpProxy {
  readonly port: number
  readonly #server: Server
  readonly #weather: Weather
  readonly #links = new Set<Link>()

  private constructor(port: number, target: TcpTarget) {
    this.port = port
    this.#weather = { target, silent: new Set(), delayMs: 0, pieceBytes: null }
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (caller) => {
      const link = new Link(caller, this.#weather)
      this.#links.add(link)
      void link.ended.then(() => this.#links.delete(link))
    })
  }

  static async start(target: TcpTarget): Promise<TcpProxy> {
    const proxy = new TcpProxy(await freePort(), target)
    await proxy.#listen()
    return proxy
  }

  /** Forwards nothing in these directions, not even closed connections; every connection stays open. */
  silence(...directions: readonly Direction[]): void {
    this.#weather.silent = new Set(directions)
    this.#weatherChanged()
  }

  /** Delays everything from now on, in each direction. */
  slow(delayMs: number): void {
    this.#weather.delayMs = delayMs
  }

  /** Splits everything from now on into delayed pieces of at most this many bytes. */
  trickle(pieceBytes: number): void {
    this.#weather.pieceBytes = pieceBytes
  }

  /** Breaks every connection. */
  reset(): void {
    for (const link of this.#links) link.reset()
  }

  /** Accepts no more connections; open ones stay. */
  refuse(): void {
    if (this.#server.listening) this.#server.close()
  }

  /** From now on new connections go to another target. */
  retarget(target: TcpTarget): void {
    this.#weather.target = target
  }

  /** Forwards everything again, held-back data first. */
  async heal(): Promise<void> {
    this.#weather.silent = new Set()
    this.#weather.delayMs = 0
    this.#weather.pieceBytes = null
    this.#weatherChanged()
    await this.#listen()
  }

  stop(): void {
    this.refuse()
    this.reset()
  }

  async #listen(): Promise<void> {
    if (this.#server.listening) return
    this.#server.listen(this.port, HOST)
    await once(this.#server, 'listening')
  }

  #weatherChanged(): void {
    for (const link of this.#links) link.flow()
  }
}

/** One connection through the proxy. */
class Link {
  /** Resolves when both ends are closed. */
  readonly ended: Promise<unknown>
  readonly #caller: Socket
  readonly #callee = new Socket({ allowHalfOpen: true })
  readonly #weather: Weather
  #dialed = false
  #broken = false

  constructor(caller: Socket, weather: Weather) {
    this.#caller = caller
    this.#weather = weather
    const closing = [caller, this.#callee].map((socket) => new Promise((done) => socket.once('close', done)))
    this.ended = Promise.all(closing)
    this.#pass(caller, this.#callee)
    this.#pass(this.#callee, caller)
    this.flow()
  }

  /** Forwards everything that is allowed now. */
  flow(): void {
    const { silent, target } = this.#weather
    if (this.#broken && silent.size === 0) this.reset()
    // The server never sees a client that disconnects before its first byte is forwarded.
    if (!this.#dialed && !silent.has('requests')) {
      this.#dialed = true
      this.#callee.connect(target.port, target.host)
    }
    if (silent.has('requests')) this.#caller.pause()
    else this.#caller.resume()
    if (silent.has('answers')) this.#callee.pause()
    else this.#callee.resume()
  }

  reset(): void {
    for (const socket of [this.#caller, this.#callee]) {
      if (socket.readyState === 'open') socket.resetAndDestroy()
      else socket.destroy()
    }
  }

  /** Resolves when all of it is forwarded; after healing, the rest is sent at once. */
  async #write(chunk: Buffer, to: Socket): Promise<void> {
    let rest = chunk
    for (let size = this.#weather.pieceBytes; size !== null; size = this.#weather.pieceBytes) {
      if (rest.length <= size) break
      to.write(rest.subarray(0, size))
      rest = rest.subarray(size)
      await sleep(PIECE_EVERY_MS)
    }
    to.write(rest)
  }

  #pass(from: Socket, to: Socket): void {
    let last: Promise<unknown> = Promise.resolve()
    const later = (act: () => unknown) => {
      const { delayMs } = this.#weather
      last = last.then(() => (delayMs === 0 ? undefined : sleep(delayMs))).then(act)
    }
    from.setNoDelay(true)
    from.on('data', (chunk) => later(() => this.#write(chunk, to)))
    from.on('end', () => later(() => to.end()))
    from.on('error', () => {
      this.#broken = true
      this.flow()
    })
  }
}
