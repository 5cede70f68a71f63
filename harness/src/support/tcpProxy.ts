import { once } from 'node:events'
import { createServer, type Server, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './freePort.ts'

/** Where connections lead. */
export interface TcpTarget {
  readonly host: string
  readonly port: number
}

/** From whoever connects, or to them. */
export type Direction = 'requests' | 'answers'

const HOST = '127.0.0.1'
const PIECE_EVERY_MS = 1

/** What the network is like at the moment. */
interface Weather {
  target: TcpTarget
  silent: ReadonlySet<Direction>
  delayMs: number
  /** `null`: as it comes. */
  pieceBytes: number | null
}

/**
 * A network path to a server that fails as it is told to. It listens on the loopback interface; what it holds back
 * comes through once it is healed, as TCP would send it again.
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

  /** Passes nothing on in these directions, not even that a connection has ended; every connection stays open. */
  silence(...directions: readonly Direction[]): void {
    this.#weather.silent = new Set(directions)
    this.#weatherChanged()
  }

  /** Whatever goes through from now on takes so much longer, each way. */
  slow(delayMs: number): void {
    this.#weather.delayMs = delayMs
  }

  /** Whatever goes through from now on comes in pieces of at most so many bytes, some time apart. */
  trickle(pieceBytes: number): void {
    this.#weather.pieceBytes = pieceBytes
  }

  /** Breaks every connection. */
  reset(): void {
    for (const link of this.#links) link.reset()
  }

  /** Takes no more connections; those that are open stay. */
  refuse(): void {
    if (this.#server.listening) this.#server.close()
  }

  /** From now on new connections lead elsewhere. */
  retarget(target: TcpTarget): void {
    this.#weather.target = target
  }

  /** Everything goes through again, and what was held back first. */
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

  /** Lets through what may go through now. */
  flow(): void {
    const { silent, target } = this.#weather
    if (this.#broken && silent.size === 0) this.reset()
    // Whoever gives up before the first byte comes through is never seen by the server.
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

  /** Resolves when all of it is on its way; once the weather is better, the rest of it goes at once. */
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
