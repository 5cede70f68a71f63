import { describe, expect, test } from 'vitest'
import {
  type Cause,
  causeOf,
  FAULTS,
  type Fault,
  maybeOneReceiver,
  tellsOfWayOut,
} from '../../src/core/cause.ts'

const CALM = { loopWasLate: false, clockLeapt: false }

/** Each fault: its cause; the cause with a late event loop; the cause after a clock leap. */
const TABLE: Record<Fault, readonly [Cause, Cause, Cause]> = {
  proxy_unreachable: ['sender', 'sender', 'sender'],
  proxy_timeout: ['sender', 'sender', 'sender'],
  proxy_refused_sender: ['sender', 'sender', 'sender'],
  proxy_found_target_dead: ['path', 'path', 'path'],
  proxy_refused_target: ['sender', 'sender', 'sender'],
  out_of_sockets: ['sender', 'sender', 'sender'],
  forbidden: ['sender', 'sender', 'sender'],
  shut_down: ['sender', 'sender', 'sender'],
  no_such_name: ['receiver', 'receiver', 'receiver'],
  resolver_unreachable: ['sender', 'sender', 'sender'],
  resolver_trouble: ['path', 'path', 'path'],
  resolver_silent: ['sender', 'sender', 'sender'],
  connect_failed: ['path', 'path', 'path'],
  connect_timeout: ['path', 'sender', 'path'],
  no_free_connection: ['receiver', 'receiver', 'receiver'],
  refused_target: ['receiver', 'receiver', 'receiver'],
  unsendable: ['receiver', 'receiver', 'receiver'],
  tls: ['receiver', 'receiver', 'receiver'],
  tls_timeout: ['receiver', 'sender', 'receiver'],
  certificate_dates: ['receiver', 'receiver', 'sender'],
  reset: ['receiver', 'receiver', 'receiver'],
  timeout: ['receiver', 'sender', 'receiver'],
  protocol: ['receiver', 'receiver', 'receiver'],
  redirect: ['receiver', 'receiver', 'receiver'],
  status: ['receiver', 'receiver', 'receiver'],
}

describe('the cause of a failed attempt', () => {
  test.each(FAULTS.map((fault) => [fault, ...TABLE[fault]] as const))(
    '%s: %s; with a late event loop %s; with a clock that leapt %s',
    (fault, calm, late, leapt) => {
      expect(causeOf(fault, CALM)).toBe(calm)
      expect(causeOf(fault, { ...CALM, loopWasLate: true })).toBe(late)
      expect(causeOf(fault, { ...CALM, clockLeapt: true })).toBe(leapt)
    },
  )

  test('a proxy or a firewall may block only one receiver', () => {
    expect(FAULTS.filter((fault) => maybeOneReceiver(fault))).toEqual([
      'proxy_timeout',
      'proxy_refused_target',
      'forbidden',
    ])
  })

  test('an attempt that was never sent says nothing about our egress', () => {
    expect(FAULTS.filter((fault) => !tellsOfWayOut(fault))).toEqual(['refused_target', 'unsendable'])
  })
})
