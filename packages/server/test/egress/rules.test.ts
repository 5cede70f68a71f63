import { describe, expect, test } from 'vitest'
import {
  checkTargetUrl,
  isAllowedAddress,
  isAllowedHost,
  PUBLIC_ONLY,
  parseEgressRules,
} from '../../src/core/targets/index.ts'

const rules = parseEgressRules({
  allow: '10.0.0.0/8, 127.0.0.1 ,172.16.0.0/12,[::1],fd00:1200::/23,localhost,Receiver.Shop.SVC.,bücher.lan,',
  ports: '8080, 9443,8080',
})

describe('the operator allows networks', () => {
  test.each(['10.0.0.0', '10.255.255.255', '127.0.0.1', '172.31.0.1', '::1', 'fd00:13ff::1', 'FD00:1200::'])(
    'an address inside one is allowed: %s',
    (address) => expect(isAllowedAddress(address, rules)).toBe(true),
  )

  test.each([
    '11.0.0.0',
    '127.0.0.2',
    '172.32.0.0',
    '::2',
    'fd00:1400::',
    '::ffff:10.0.0.1',
    'localhost',
    '',
    '10.1',
  ])('nothing else is: "%s"', (address) => expect(isAllowedAddress(address, rules)).toBe(false))

  test('a prefix of zero contains every address of its family', () => {
    const all = parseEgressRules({ allow: '0.0.0.0/0' })
    expect(isAllowedAddress('192.168.1.1', all)).toBe(true)
    expect(isAllowedAddress('fd00::1', all)).toBe(false)
  })

  test.each([
    ['http://127.0.0.1:3000/hook', 'http://127.0.0.1:3000/hook'],
    ['https://10.1.2.3:6379/', 'https://10.1.2.3:6379/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://[0:0::1]:99/', 'http://[::1]:99/'],
  ])('a literal inside one may be plain and on any port: %s', (input, url) => {
    expect(checkTargetUrl(input, rules)).toEqual({ ok: true, url })
  })

  test.each(['http://127.0.0.2/', 'https://127.0.0.2/', 'https://8.8.8.8/', 'https://[::ffff:10.0.0.1]/'])(
    'a literal outside of all is rejected: %s',
    (input) => expect(checkTargetUrl(input, rules).ok).toBe(false),
  )
})

describe('the operator allows hosts', () => {
  test.each([
    ['http://localhost:3000/', 'http://localhost:3000/'],
    ['https://LOCALHOST./a', 'https://localhost/a'],
    ['http://receiver.shop.svc/', 'http://receiver.shop.svc/'],
    ['http://bücher.lan/', 'http://xn--bcher-kva.lan/'],
  ])('their names, ports and plain http are accepted: %s', (input, url) => {
    expect(checkTargetUrl(input, rules)).toEqual({ ok: true, url })
  })

  test('a name below an allowed one is not allowed', () => {
    expect(isAllowedHost('localhost.', rules)).toBe(true)
    expect(isAllowedHost('a.localhost', rules)).toBe(false)
    expect(checkTargetUrl('http://a.localhost/', rules).ok).toBe(false)
    expect(checkTargetUrl('http://hooks.acme.com/', rules)).toMatchObject({ code: 'url_scheme' })
  })

  test.each([
    [
      '127.0.0.1',
      /http:\/\/ is allowed only for addresses and names that the operator lists in POSTHORN_EGRESS_ALLOW\.$/,
    ],
    ['hooks.internal', /lists in POSTHORN_EGRESS_ALLOW\.$/],
    ['', /https:\/\/, the only scheme that is allowed\.$/],
  ])('the message names the hosts that may use http:// when "%s" is allowed', (allow, reason) => {
    for (const url of ['http://hooks.acme.com/hook', 'ftp://localhost/'])
      expect(checkTargetUrl(url, parseEgressRules({ allow }))).toEqual({
        ok: false,
        code: 'url_scheme',
        reason: expect.stringMatching(reason),
      })
  })

  test.each([
    ['http://user@localhost/', 'url_user_info'],
    ['http://localhost/#', 'url_fragment'],
    ['http://localhost/\t', 'url_characters'],
    ['http://localhost\\', 'url_characters'],
    ['http:localhost', 'url_invalid'],
    ['http://%6cocalhost/', 'url_host_invalid'],
    ['ws://localhost/', 'url_scheme'],
    [`http://localhost/${'a'.repeat(2048)}`, 'url_too_long'],
  ])('nothing else is relaxed for them: %s', (input, code) => {
    expect(checkTargetUrl(input, rules)).toMatchObject({ ok: false, code })
  })
})

describe('the operator opens ports', () => {
  test('for public names too, beside 443 and 8443', () => {
    expect(checkTargetUrl('https://hooks.acme.com:8080/', rules).ok).toBe(true)
    expect(checkTargetUrl('https://hooks.acme.com:8443/', rules).ok).toBe(true)
    expect(checkTargetUrl('https://hooks.acme.com:8081/', rules)).toEqual({
      ok: false,
      code: 'url_port',
      reason: 'Port 8081 is not allowed; use one of the ports 443, 8080, 8443 and 9443.',
    })
  })
})

describe('the rules are read strictly', () => {
  test('the default is only public HTTPS', () => {
    expect(parseEgressRules({})).toEqual(PUBLIC_ONLY)
    expect(parseEgressRules({ allow: '', ports: ' , ' })).toEqual(PUBLIC_ONLY)
  })

  test('they cannot be changed afterwards', () => {
    for (const part of [
      rules,
      rules.hosts,
      rules.ranges,
      rules.ranges[0],
      rules.ranges[0]?.base,
      rules.extraPorts,
    ]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })

  test.each([
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10.0.0.1/8',
    '::1/129',
    'fd00::1/8',
    '10.0.0.256',
    '127.1',
    '0x7f000001',
    '010.0.0.1',
    'localhost:3000',
    '127.0.0.1:3000',
    '[::1]:3000',
    'http://localhost',
    '*.acme.com',
    'a..b',
    'a b',
    'user@localhost',
    `${'a'.repeat(64)}.com`,
    'fe80::1%eth0',
    '%6cocalhost',
  ])('a bad entry is named: %s', (entry) => {
    expect(() => parseEgressRules({ allow: `localhost,${entry}` })).toThrow(`"${entry}"`)
  })

  test.each(['127.0.0.1:9000', 'localhost:9000', '[::1]:9000'])('a port must be omitted: %s', (allow) => {
    expect(() => parseEgressRules({ allow })).toThrow(
      'remove the port: listed addresses and names can be reached on any port',
    )
  })

  test.each(['0', '65536', '-1', '443x', '0x50', '1e3', '80.5', 'https'])(
    'a bad port is named: %s',
    (entry) => {
      expect(() => parseEgressRules({ ports: `8080,${entry}` })).toThrow(`"${entry}"`)
    },
  )

  test('the error for a CIDR with stray bits shows the right one', () => {
    expect(() => parseEgressRules({ allow: '10.1.2.3/12' })).toThrow('use 10.0.0.0/12 or a single address')
  })
})
