import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { RequestIds } from '../clientErrors.ts'
import { clientOf } from '../throttle/clientRate.ts'
import type { IntakeObserver } from './budget.ts'
import { ADDRESS_PART } from './limits.ts'
import { boundRequests } from './requestBounds.ts'

/**
 * Limits the connections of a node and of each address. Excess connections are closed immediately: each takes memory before it
 * has sent anything. Trusted proxies have many clients, so only the limit of the node applies to them.
 */
export class Connections {
  #max = 0
  #maxByAddress = 0
  readonly #trusted: readonly Network[]
  readonly #observer: IntakeObserver
  readonly #byAddress = new Map<string, number>()
  readonly #sockets = new Set<Socket>()

  constructor(max: number, trustedProxies: readonly string[], observer: IntakeObserver) {
    this.setMax(max)
    this.#trusted = trustedProxies.map(networkOf)
    this.#observer = observer
  }

  /** Open connections stay open. */
  setMax(max: number): void {
    this.#max = max
    this.#maxByAddress = Math.max(1, Math.floor(max * ADDRESS_PART))
  }

  get open(): number {
    return this.#sockets.size
  }

  /** Closes all of them. A server knows only connections that have finished their TLS handshake. */
  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Call this before the server listens, and after it has its listener for requests. */
  guard(server: Server, newRequestId: RequestIds): void {
    // Before the server's own listener, which makes a parser for each connection.
    server.prependListener('connection', (socket: Socket) => this.#take(socket))
    boundRequests(server, newRequestId, (reason) => this.#observer.connectionRefused(reason))
  }

  #take(socket: Socket): void {
    const address = clientOf(socket.remoteAddress ?? '')
    const ofAddress = this.#byAddress.get(address) ?? 0
    const reason =
      this.#sockets.size >= this.#max ? 'node' : this.#isFull(socket, ofAddress) ? 'address' : null
    if (reason !== null) {
      this.#observer.connectionRefused(reason)
      socket.destroy()
      return
    }
    this.#sockets.add(socket)
    this.#byAddress.set(address, ofAddress + 1)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      const left = this.#byAddress.get(address)! - 1
      if (left === 0) this.#byAddress.delete(address)
      else this.#byAddress.set(address, left)
    })
  }

  #isFull({ remoteAddress }: Socket, ofAddress: number): boolean {
    return ofAddress >= this.#maxByAddress && !this.#isTrusted(remoteAddress ?? '')
  }

  #isTrusted(remoteAddress: string): boolean {
    if (!ipaddr.isValid(remoteAddress)) return false
    const address = ipaddr.process(remoteAddress)
    return this.#trusted.some(([network, bits]) =>
      address.kind() === network.kind() ? address.match(network, bits) : false,
    )
  }
}

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** @param range an address or a CIDR */
function networkOf(range: string): Network {
  const [address = '', bits] = range.split('/')
  const network = ipaddr.process(address)
  return [network, bits === undefined ? (network.kind() === 'ipv4' ? 32 : 128) : Number(bits)]
}
