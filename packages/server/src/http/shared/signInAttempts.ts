import ipaddr from 'ipaddr.js'
import type { Clock } from '../../core/clock.ts'
import { MINUTE_MS } from '../../core/duration.ts'
import { tooManySignIns } from './authProblems.ts'

const MAX = 30
const WINDOW_MS = 15 * MINUTE_MS
const MAX_CLIENTS = 10_000
/** Of what a proxy names a client by, where that is no address. */
const MAX_NAME = 64

/**
 * Counts what clients try in order to sign in: one of these the links that they ask for, another the tokens that were wrong,
 * so that whoever guesses keeps nobody at the same address from asking. Each node counts by itself, in memory: tokens are far
 * too long to be guessed, so this only keeps the noise down.
 */
export class SignInAttempts {
  readonly #clock: Clock
  /** Monotonic times of attempts within the window, oldest first. Clients that were heard of longest ago come first. */
  readonly #attempts = new Map<string, readonly number[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @throws Problem `too_many_sign_ins` */
  check(ip: string): void {
    const recent = this.#recent(clientOf(ip))
    if (recent.length >= MAX) throw tooManySignIns(recent[0]! + WINDOW_MS - this.#clock.monotonic())
  }

  note(ip: string): void {
    const client = clientOf(ip)
    const recent = this.#recent(client)
    this.#attempts.delete(client)
    const oldest = this.#attempts.keys().next()
    if (this.#attempts.size >= MAX_CLIENTS && oldest.done !== true) this.#attempts.delete(oldest.value)
    this.#attempts.set(client, [...recent, this.#clock.monotonic()].slice(-MAX))
  }

  #recent(client: string): readonly number[] {
    const since = this.#clock.monotonic() - WINDOW_MS
    return (this.#attempts.get(client) ?? []).filter((at) => at > since)
  }
}

/** An address of IPv6 costs nothing, so that its network of 64 bits, which one customer gets, counts as one client. */
function clientOf(ip: string): string {
  // Some proxies write the port behind the address.
  const bare = ipaddr.isValid(ip) ? ip : ip.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  if (!ipaddr.isValid(bare)) return bare.slice(0, MAX_NAME)
  const address = ipaddr.process(bare)
  return address.kind() === 'ipv6' ? (address as ipaddr.IPv6).parts.slice(0, 4).join(':') : address.toString()
}
