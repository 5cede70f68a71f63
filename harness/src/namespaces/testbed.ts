import { randomInt } from 'node:crypto'
import type { TrustedNetwork } from '../postgres/server.ts'
import { ip } from './ipProgram.ts'
import { NamespaceGuard } from './namespaceGuard.ts'

/** Names of links have at most 15 characters. */
const PREFIX = 'ph'
const MASK = 24
const FIRST_HOST = 11

/** A network that connects this process's namespace and the testbed's hosts. */
export interface Network extends TrustedNetwork {
  readonly name: string
}

/** A network namespace, which looks like a separate machine to its programs. */
export interface Host {
  readonly name: string
  /** The command prefix that runs a program in it. */
  readonly via: readonly string[]
  addressIn(network: Network): string
}

/** Simulated hosts and networks on this machine; removed with this process. */
export class Testbed {
  readonly #prefix: string
  readonly #guard: NamespaceGuard
  readonly #networks: Network[] = []
  /** Of private addresses; two concurrent testbeds are unlikely to collide. */
  readonly #octets = [10, randomInt(200, 250), randomInt(0, 250)] as const
  #hosts = 0

  constructor() {
    this.#prefix = `${PREFIX}${randomInt(0x10000).toString(16)}-`
    this.#guard = new NamespaceGuard(this.#prefix)
  }

  /** @param name of two letters at most */
  addNetwork(name: string): Network {
    const [first, second, third] = this.#octets
    const subnet = `${first}.${second}.${third + this.#networks.length}`
    const network = { name, address: `${subnet}.1`, range: `${subnet}.0/${MASK}` }
    const bridge = this.#bridge(network)
    ip('link', 'add', bridge, 'type', 'bridge')
    ip('address', 'add', `${network.address}/${MASK}`, 'dev', bridge)
    ip('link', 'set', bridge, 'up')
    this.#networks.push(network)
    return network
  }

  /** Adds a host that is in all existing networks. */
  addHost(): Host {
    const number = this.#hosts++
    const name = `${this.#prefix}${number}`
    const addressIn = ({ range }: Network) => range.replace(`0/${MASK}`, String(FIRST_HOST + number))
    const host: Host = { name, via: ['ip', 'netns', 'exec', name], addressIn }
    ip('netns', 'add', name)
    ip('-n', name, 'link', 'set', 'lo', 'up')
    for (const network of this.#networks) {
      const cable = this.#cable(host, network)
      ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', network.name, 'netns', name)
      ip('link', 'set', cable, 'master', this.#bridge(network), 'up')
      ip('-n', name, 'address', 'add', `${addressIn(network)}/${MASK}`, 'dev', network.name)
      ip('-n', name, 'link', 'set', network.name, 'up')
    }
    return host
  }

  /** Disconnects a host from a network: packets in both directions are dropped. */
  cut(host: Host, network: Network): void {
    ip('link', 'set', this.#cable(host, network), 'down')
  }

  restore(host: Host, network: Network): void {
    ip('link', 'set', this.#cable(host, network), 'up')
  }

  /** Ends the programs in the hosts, and removes the hosts and networks. */
  remove(): Promise<void> {
    return this.#guard.release()
  }

  #bridge({ name }: Network): string {
    return `${this.#prefix}${name}`
  }

  #cable(host: Host, { name }: Network): string {
    return `${host.name}${name}`
  }
}
