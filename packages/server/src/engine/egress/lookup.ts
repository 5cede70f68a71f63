import type { LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import {
  type AddressKind,
  classifyAddress,
  type EgressRules,
  isAllowedAddress,
  isAllowedHost,
} from '../../core/targets/index.ts'
import { EgressError, toEgressError } from './errors.ts'

/** Limits how many addresses one attempt tries: the owner of a name may list thousands. */
const MAX_ADDRESSES_PER_FAMILY = 4

/**
 * Wraps a resolver so that a socket gets only addresses that it may connect to. The socket connects to these addresses and the
 * name is not resolved again, so a record that changes in between (DNS rebinding) has no effect.
 */
export function guardLookup(lookup: LookupFunction, rules: EgressRules): LookupFunction {
  return (hostname, options, callback) => {
    let answered = false
    const answer = (error: unknown, addresses: LookupAddress[]): void => {
      if (answered) return
      answered = true
      const outcome = error ? toEgressError(error, 'resolve') : selectAddresses(hostname, addresses, rules)
      // A resolver that answers from memory would call back before net.connect has returned the socket.
      queueMicrotask(() => {
        if (outcome instanceof EgressError) callback(outcome, options.all ? [] : '')
        else if (options.all) callback(null, outcome)
        else callback(null, outcome[0]!.address, outcome[0]!.family)
      })
    }
    try {
      lookup(hostname, { ...options, all: true }, (error, found, family) =>
        answer(error, listOf(found, family)),
      )
    } catch (error) {
      answer(error, [])
    }
  }
}

function listOf(found: string | LookupAddress[] | undefined, family: number | undefined): LookupAddress[] {
  if (Array.isArray(found)) return found
  return typeof found === 'string' && found !== '' ? [{ address: found, family: family ?? isIP(found) }] : []
}

function selectAddresses(
  hostname: string,
  addresses: readonly LookupAddress[],
  rules: EgressRules,
): LookupAddress[] | EgressError {
  if (addresses.length === 0) return toEgressError({ code: 'ENODATA' }, 'resolve')
  const isNameAllowed = isAllowedHost(hostname, rules)
  const selected: LookupAddress[] = []
  const kinds = new Set<AddressKind>()
  for (const { address } of addresses) {
    const verdict = classifyAddress(address)
    if (verdict.public || isAllowedAddress(address, rules) || (isNameAllowed && isIP(address) !== 0)) {
      const family = isIP(address)
      if (selected.filter((other) => other.family === family).length < MAX_ADDRESSES_PER_FAMILY)
        selected.push({ address, family })
    } else kinds.add(verdict.kind)
  }
  return selected.length > 0 ? selected : notPublic(kinds)
}

function notPublic(kinds: ReadonlySet<AddressKind>): EgressError {
  const message =
    `The host name resolves to no public address (found: ${[...kinds].join(', ')}). ` +
    'Point its DNS records at the public address of the server.'
  return new EgressError('refused_target', 'refused_target', message)
}
