import { randomInt } from 'node:crypto'
import type { TrustedNetwork } from '../postgres/server.ts'
import { ip } from './ipProgram.ts'
import { NamespaceGuard } from './namespaceGuard.ts'

/** Names of links have at most 15 characters. */
const PREFIX = 'ph'
const MASK = 24
const FIRST_HOST = 11

/** A network that this process's namespace and hosts of the testbed are in. */
export interface Network extends TrustedNetwork {
  readonly name: string
}

/** A network namespace, which is to the programs in it what a machine of its own is. */
export interface Host {
  readonly name: string
  /** What runs a program in it, put before the program. */
  readonly via: readonly string[]
  addressIn(network: Network): string
}

/** Machines and the networks between them, all within this one; gone with this process. */
export class Testbed {
  readonly #prefix: string
  readonly #guard: NamespaceGuard
  readonly #networks: Network[] = []
  /** Of private addresses; two testbeds at once are not likely to meet. */
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

  /** Adds a host that is in all networks there are. */
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

  /** Cuts a host off from a network: what is sent either way is lost without a word. */
  cut(host: Host, network: Network): void {
    ip('link', 'set', this.#cable(host, network), 'down')
  }

  mend(host: Host, network: Network): void {
    ip('link', 'set', this.#cable(host, network), 'up')
  }

  /** Ends what runs in the hosts, and removes them and the networks. */
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
