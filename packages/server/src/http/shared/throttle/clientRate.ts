import ipaddr from 'ipaddr.js'
import type { Clock } from '../../../core/clock.ts'
import { type Rate, RateByName } from './rateByName.ts'

const MAX_CLIENTS = 10_000
/** Of what a proxy names a client by, where that is no address. */
const MAX_NAME = 64
const ALL = 'all'

export interface ClientLimits {
  readonly byClient: Rate
  readonly inAll: Rate
}

/**
 * A rate limit for each client, and one for all clients together. Beyond the common limit, only clients that have used
 * nothing recently are allowed, so that others cannot lock them out.
 */
export class ClientRate {
  readonly #byClient: RateByName
  readonly #inAll: RateByName

  constructor(clock: Pick<Clock, 'monotonic'>, { byClient, inAll }: ClientLimits) {
    this.#byClient = new RateByName(clock, byClient, MAX_CLIENTS)
    this.#inAll = new RateByName(clock, inAll, 1)
  }

  /** @param client from {@link clientOf} @returns how long until it may do so once more; 0: now */
  waitMs(client: string): number {
    const own = this.#byClient.waitMs(client)
    return own > 0 || this.#inAll.waitMs(ALL) === 0 ? own : this.#byClient.wholeInMs(client)
  }

  use(client: string): void {
    this.#byClient.use(client)
    this.#inAll.use(ALL)
  }
}

/** IPv6 addresses cost nothing, so a /64 network, which one customer gets, counts as one client. */
export function clientOf(ip: string): string {
  // Some proxies write the port behind the address.
  const bare = ipaddr.isValid(ip) ? ip : ip.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  if (!ipaddr.isValid(bare)) return bare.slice(0, MAX_NAME)
  const address = ipaddr.process(bare)
  return address.kind() === 'ipv6' ? (address as ipaddr.IPv6).parts.slice(0, 4).join(':') : address.toString()
}
