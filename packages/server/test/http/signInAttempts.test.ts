import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codeOf, newAddress, OWN_PAGE, openBrowser } from './people.ts'
import { ADMIN_TOKEN, type Call, startTestService, type TestService } from './service.ts'

const WINDOW_MS = 15 * 60_000
const MAX = 30

let service: TestService
let proxied: TestService
beforeAll(async () => {
  service = await startTestService()
  proxied = await startTestService(() => ({ trustedProxies: ['127.0.0.0/8'] }))
})
afterAll(async () => {
  await service.stop()
  await proxied.stop()
})
beforeEach(() => {
  for (const { clock } of [service, proxied]) clock.forward(WINDOW_MS)
})

const ask = async (of: TestService, headers: Call['headers'] = {}) => {
  const call = { method: 'POST', url: '/console/v1/sign-in-links', body: { email: newAddress() } } as const
  return codeOf(await of.call({ ...call, headers: { ...OWN_PAGE, ...headers } }))
}
const guess = async (of: TestService, headers: Call['headers'] = {}) => {
  const call = { method: 'POST', url: '/console/v1/session', body: { token: 'nonsense' } } as const
  return codeOf(await of.call({ ...call, headers: { ...OWN_PAGE, ...headers } }))
}

async function many(trying: () => Promise<string>): Promise<string[]> {
  const codes = []
  for (let n = 0; n < MAX; n++) codes.push(await trying())
  return codes
}

describe('what a client tries in a quarter of an hour', () => {
  it('is thirty wrong tokens, which keep out no right one and nobody who asks for a link', async () => {
    expect(await many(() => guess(service))).toEqual(Array(MAX).fill('401 admin_token_invalid'))
    expect(await guess(service)).toBe('429 too_many_sign_ins')
    expect(await ask(service)).toBe('ok')
    expect(codeOf((await openBrowser(service, ADMIN_TOKEN)).answer)).toBe('ok')
    service.clock.forward(WINDOW_MS)
    expect(await guess(service)).toBe('401 admin_token_invalid')
  })

  it('is thirty links that are asked for, and tokens besides', async () => {
    expect(await many(() => ask(service))).toEqual(Array(MAX).fill('ok'))
    expect(await ask(service)).toBe('429 too_many_sign_ins')
    expect(await guess(service)).toBe('401 admin_token_invalid')
    service.clock.forward(WINDOW_MS)
    expect(await ask(service)).toBe('ok')
  })
})

describe('the address of a client', () => {
  const through = (ip: string) => ({ 'x-forwarded-for': ip })

  it('is the one that a trusted proxy names', async () => {
    expect(await many(() => guess(proxied, through('203.0.113.7')))).not.toContain('429 too_many_sign_ins')
    // What the client itself has put before it counts for nothing, nor does the port that some proxies add.
    for (const same of ['203.0.113.7', '198.51.100.1, 203.0.113.7', '203.0.113.7:4711'])
      expect(await guess(proxied, through(same))).toBe('429 too_many_sign_ins')
    expect(await guess(proxied, through('203.0.113.8'))).toBe('401 admin_token_invalid')
    const [first = ''] = proxied.logs.filter((line) => line.includes('wrong token'))
    expect(first).toContain('"ip":"203.0.113.7"')
  })

  it('is that of its network of 64 bits with IPv6', async () => {
    let n = 0
    const next = () => through(`2001:db8:0:1::${(++n).toString(16)}`)
    await many(() => guess(proxied, next()))
    for (const same of [next(), through('[2001:db8:0:1::ffff]:4711')])
      expect(await guess(proxied, same)).toBe('429 too_many_sign_ins')
    expect(await guess(proxied, through('2001:db8:0:2::1'))).toBe('401 admin_token_invalid')
  })

  it('may be a name that is no address', async () => {
    expect(await guess(proxied, through('unknown'))).toBe('401 admin_token_invalid')
    expect(await ask(proxied, through('unknown'))).toBe('ok')
  })

  it('is nothing that the client may name where no proxy is trusted', async () => {
    let n = 0
    await many(() => guess(service, through(`203.0.113.${++n}`)))
    expect(await guess(service, through('203.0.113.99'))).toBe('429 too_many_sign_ins')
    expect(service.logs.at(-1)).toContain('"ip":"127.0.0.1"')
  })
})
