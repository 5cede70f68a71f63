import { describe, expect, test } from 'vitest'
import { EgressError, toEgressError } from '../../src/engine/egress/index.ts'
import { systemError } from './loopback.ts'

describe('an error has a stable code and a helpful sentence', () => {
  test.each([
    ['ENOTFOUND', 'dns_failed', /Correct the URL/],
    ['EAI_AGAIN', 'dns_failed', /name servers/],
    ['ESERVFAIL', 'dns_failed', /name servers/],
    ['EREFUSED', 'dns_failed', /name servers/],
    ['EBADRESP', 'dns_failed', /name servers/],
    ['ETIMEOUT', 'dns_failed', /name servers/],
    ['ECANCELLED', 'dns_failed', /name servers/],
    ['EBADNAME', 'dns_failed', /Correct the URL/],
    ['ECONNREFUSED', 'connect_failed', /listens on the port/],
    ['EHOSTUNREACH', 'connect_failed', /routing and firewall/],
    ['ENETUNREACH', 'connect_failed', /routing and firewall/],
    ['ECONNRESET', 'connect_failed', /load balancer/],
    ['EACCES', 'connect_failed', /firewall blocked/],
    ['EMFILE', 'connect_failed', /The receiver is not the cause/],
    ['ETIMEDOUT', 'connect_timeout', /in time/],
    ['CERT_HAS_EXPIRED', 'tls_failed', /expired. Renew it/],
    ['CERT_REVOKED', 'tls_failed', /Install a new one/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_failed', /public certificate authority/],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_failed', /full chain/],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls_failed', /every intermediate/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_failed', /certificate for the host name in the URL/],
    ['EE_KEY_TOO_SMALL', 'tls_failed', /current algorithms/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failed', /Enable TLS/],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls_failed', /Enable TLS 1.2/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls_failed', /client certificate/],
    ['ERR_SSL_SOMETHING_NEW', 'tls_failed', /cipher suites/],
    ['PATH_LENGTH_EXCEEDED', 'tls_failed', /cipher suites/],
    ['EPROTO', 'tls_failed', /cipher suites/],
    ['ESOMETHING', 'connect_failed', /could not be opened/],
  ])('%s: %s', (systemCode, code, sentence) => {
    const cause = systemError(systemCode)
    const error = toEgressError(cause)
    expect(error).toMatchObject({ code, message: expect.stringMatching(sentence), cause })
    expect(error.message.endsWith(` (${systemCode})`)).toBe(true)
  })

  test('of several addresses, one that answered explains more than one that this network cannot reach', () => {
    const both = (...codes: readonly string[]) =>
      toEgressError(new AggregateError(codes.map(systemError))).code
    expect(both('ENETUNREACH', 'ECONNREFUSED')).toBe('connect_failed')
    expect(both('ENETUNREACH', 'ETIMEDOUT')).toBe('connect_timeout')
    expect(both('EHOSTUNREACH', 'ENETUNREACH')).toBe('connect_failed')
    expect(toEgressError(new AggregateError([new Error('x'), systemError('ENETUNREACH')])).message).toMatch(
      /routing/,
    )
  })

  test('where this machine has no IPv6, it does not lack sockets', () => {
    const without = (address: string) => Object.assign(systemError('EADDRNOTAVAIL'), { address })
    expect(toEgressError(without('2001:db8::1'))).toMatchObject({
      fault: 'connect_failed',
      message: expect.stringMatching(/routing/),
    })
    expect(toEgressError(without('192.0.2.1'))).toMatchObject({ fault: 'out_of_sockets' })
  })

  test('the code may be on the cause', () => {
    const error = new Error('outer', { cause: systemError('CERT_HAS_EXPIRED') })
    expect(toEgressError(error)).toMatchObject({ code: 'tls_failed', cause: error })
  })

  test('the phase decides where the code alone does not', () => {
    const reset = systemError('ECONNRESET')
    expect(toEgressError(reset, 'connect')).toMatchObject({ code: 'connect_failed' })
    expect(toEgressError(reset, 'tls')).toMatchObject({ code: 'tls_failed' })
    expect(toEgressError(systemError('ECONNREFUSED'), 'resolve')).toMatchObject({ code: 'dns_failed' })
    expect(toEgressError(systemError('AKID_SKID_MISMATCH'), 'tls')).toMatchObject({ code: 'tls_failed' })
    expect(toEgressError(systemError('ENOTFOUND'), 'proxy')).toMatchObject({ code: 'connect_failed' })
  })

  test.each([undefined, null, 0, 'text', {}, { code: 7 }, new AggregateError([])])(
    'any thrown value has a result: %s',
    (thrown) => expect(toEgressError(thrown)).toMatchObject({ name: 'EgressError', code: 'connect_failed' }),
  )

  test('a named error stays as it is', () => {
    const error = new EgressError('refused_target', 'refused_target', 'No.')
    expect(toEgressError(error, 'tls')).toBe(error)
  })

  test('a cause that is its own cause does not hang', () => {
    const first = new Error('first')
    const second = new Error('second', { cause: first })
    first.cause = second
    expect(toEgressError(first)).toMatchObject({ code: 'connect_failed' })
  })
})
