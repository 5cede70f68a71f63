import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { IdentityProvider } from '../../src/http/signIn/provider.ts'
import { honest, SigningProvider } from '../support/signingProvider.ts'
import { addOperator, newAddress } from './people.ts'
import { failed, ProviderBrowser, settingsOf, signInWith } from './providers.ts'
import { startTestService, type TestService } from './service.ts'

const MINUTE_MS = 60_000
const MINUTE_S = 60

let provider: SigningProvider
let service: TestService
const email = newAddress()

beforeAll(async () => {
  provider = await new SigningProvider().start()
  service = await startTestService(() => ({ signInProvider: settingsOf(provider) }))
  await addOperator(service, email)
})
afterAll(async () => {
  await service.stop()
  await provider.stop()
})
beforeEach(() => {
  provider.saying = honest({ email })
})

const now = () => Math.floor(Date.now() / 1000)
const reasonsOf = ({ logs }: TestService) =>
  logs
    .map((line) => JSON.parse(line) as { readonly message: string; readonly reason?: string })
    .filter(({ message }) => message === 'sign-in by the identity provider failed')
    .map(({ reason = '' }) => reason)

/** The HTTP exchange, without the log, which keeps only a few lines. */
async function exchange({ base, clock }: TestService) {
  const identity = new IdentityProvider(settingsOf(provider), clock)
  const { url, checks } = await identity.begin(`${base}/sign-in/provider/callback`)
  const { headers } = await fetch(url, { redirect: 'manual' })
  return identity.exchange(new URL(headers.get('location')!), { ...checks, next: '/', at: clock.now() })
}

describe('a sign-in by the identity provider', () => {
  it('begins a session of the email address for 12 hours and redirects', async () => {
    const { browser, location } = await signInWith(service, provider, { email, name: 'Anna' })
    expect(location).toBe('/')
    const { status, json } = await browser.session()
    expect([status, json.email, json.operator]).toEqual([200, email, true])
    const hours = (Date.parse(json.expires_at) - service.clock.now()) / 3_600_000
    expect(hours).toBeGreaterThan(11.9)
    expect(hours).toBeLessThanOrEqual(12)
    expect([...browser.cookies.keys()]).toEqual(['posthorn_session'])
  })

  it.each<[string, string, () => Partial<typeof provider.saying>]>([
    ['another issuer', '"iss"', () => ({ claims: { email, iss: 'https://login.example.com' } })],
    ['another audience', '"aud"', () => ({ claims: { email, aud: 'another-client' } })],
    ['another authorized party', '"azp"', () => ({ claims: { email, aud: ['posthorn', 'b'], azp: 'b' } })],
    ['another nonce', '"nonce"', () => ({ claims: { email, nonce: 'of-another-sign-in' } })],
    ['no nonce', '"nonce"', () => ({ claims: { email, nonce: undefined } })],
    ['an end that has passed', '"exp"', () => ({ claims: { email, exp: now() - MINUTE_S } })],
    ['a beginning that has not come', '"nbf"', () => ({ claims: { email, nbf: now() + MINUTE_S } })],
    ['no signature', '"alg"', () => ({ signature: 'none' })],
    ['the signature of another key', 'signature', () => ({ signature: 'wrong key' })],
  ])('is rejected with a token that has %s', async (_, reason, saying) => {
    const browser = new ProviderBrowser(service)
    provider.saying = { ...honest({ email }), ...saying() }
    const location = await browser.signIn('?next=/operator')
    expect(failed(location)).toBe('refused')
    expect(location.startsWith('/sign-in?to=%2Foperator#')).toBe(true)
    expect((await browser.session()).status).toBe(401)
    const refusal = expect.objectContaining({ code: 'refused', message: expect.stringContaining(reason) })
    await expect(exchange(service)).rejects.toEqual(refusal)
  })

  it('tolerates clocks that differ by seconds', async () => {
    const { location } = await signInWith(service, provider, { email, nbf: now() + 10, exp: now() - 10 })
    expect(location).toBe('/')
  })

  it('continues when the provider has changed its key', async () => {
    const rotated = await new SigningProvider().start()
    const other = await startTestService(() => ({ signInProvider: settingsOf(rotated) }))
    await addOperator(other, email)
    expect((await signInWith(other, rotated, { email })).location).toBe('/')
    await rotated.rotate()
    // Keys are read again a minute after the last time at the earliest.
    const { now } = Date
    const later = vi.spyOn(Date, 'now').mockImplementation(() => now() + 61_000)
    expect((await signInWith(other, rotated, { email })).location).toBe('/')
    later.mockRestore()
    expect(rotated.asked.filter((path) => path === '/jwks')).toHaveLength(2)
    await other.stop()
    await rotated.stop()
  })

  it('is rejected without an email address, or with an unverified one', async () => {
    expect(failed((await signInWith(service, provider, {})).location)).toBe('no_email')
    expect(failed((await signInWith(service, provider, { email: 'no address' })).location)).toBe('no_email')
    for (const email_verified of [false, 'false', undefined, 1]) {
      const { location } = await signInWith(service, provider, { email, email_verified })
      expect(failed(location)).toBe('unverified_email')
    }
    const trusting = await startTestService(() => ({
      signInProvider: settingsOf(provider, { acceptsUnverified: true }),
    }))
    await addOperator(trusting, email)
    expect((await signInWith(trusting, provider, { email, email_verified: undefined })).location).toBe('/')
    await trusting.stop()
  })

  it('reads from the user info endpoint what the token omits', async () => {
    provider.saying = { ...honest({ email: undefined }), userinfo: { email, email_verified: true } }
    const other = await startTestService(() => ({ signInProvider: settingsOf(provider) }))
    await addOperator(other, email)
    expect(await new ProviderBrowser(other).signIn()).toBe('/')
    provider.saying.userinfo = { sub: 'somebody-else', email, email_verified: true }
    expect(failed(await new ProviderBrowser(other).signIn())).toBe('refused')
    await other.stop()
  })

  it('takes an address for verified only where what names it says so', async () => {
    const grants = [{ value: 'nobody', operator: true } as const]
    const other = await startTestService(() => ({ signInProvider: settingsOf(provider, { grants }) }))
    await addOperator(other, email)
    const signedIn = async (claims: object, userinfo: object) => {
      provider.saying = { ...honest({ email_verified: undefined, ...claims }), userinfo: { ...userinfo } }
      return new ProviderBrowser(other).signIn()
    }
    const verified = { email_verified: true }
    expect(failed(await signedIn({ email }, { email: newAddress(), ...verified }))).toBe('unverified_email')
    expect(failed(await signedIn(verified, { email }))).toBe('unverified_email')
    expect(failed(await signedIn({ email, email_verified: false }, { email, ...verified }))).toBe(
      'unverified_email',
    )
    expect(await signedIn({ email }, { email, ...verified })).toBe('/')
    await other.stop()
  })

  it('says which email address has no access', async () => {
    const stranger = newAddress()
    const { browser, location } = await signInWith(service, provider, { email: stranger })
    expect(location).toBe(`/sign-in#${new URLSearchParams({ failed: 'no_rights', as: stranger })}`)
    expect((await browser.session()).status).toBe(401)
  })

  it('is canceled by the person, or stops at an error of the provider', async () => {
    const other = await startTestService(() => ({ signInProvider: settingsOf(provider) }))
    const browser = new ProviderBrowser(other)
    provider.saying.refusal = { error: 'access_denied' }
    expect(failed(await browser.signIn())).toBe('canceled')
    provider.saying.refusal = { error: 'temporarily_unavailable' }
    expect(failed(await browser.signIn())).toBe('provider_down')
    provider.saying.refusal = { error: 'invalid_scope', error_description: 'groups is unknown' }
    expect(failed(await browser.signIn())).toBe('refused')
    expect(reasonsOf(other).at(-1)).toContain('groups is unknown')
    await other.stop()
  })

  it('logs the reason, and no token, code or secret', () => {
    const logged = service.logs.join('\n')
    for (const secret of [...provider.tokens, ...provider.codes, provider.clientSecret, email])
      expect(logged).not.toContain(secret)
    expect(reasonsOf(service).some((reason) => reason.includes('"iss"'))).toBe(true)
    expect(provider.tokens.length).toBeGreaterThan(5)
  })
})

describe('the cookie of a sign-in in progress', () => {
  it('is required unchanged within 10 minutes', async () => {
    const browser = new ProviderBrowser(service)
    const back = await browser.begin()
    expect(failed((await new ProviderBrowser(service).get(back)).location)).toBe('expired')
    const sealed = browser.cookies.get('posthorn_sign_in')!
    const tampered = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`
    browser.cookies.set('posthorn_sign_in', tampered)
    expect(failed((await browser.get(back)).location)).toBe('expired')
    browser.cookies.set('posthorn_sign_in', sealed)
    service.clock.forwardCalendar(10 * MINUTE_MS)
    expect(failed((await browser.get(back)).location)).toBe('expired')
    expect(browser.cookies.size).toBe(0)
  })

  it('is valid once, only for its own sign-in', async () => {
    const [browser, other] = [new ProviderBrowser(service), new ProviderBrowser(service)]
    const [back, backOfOther] = [await browser.begin(), await other.begin()]
    const kept = browser.cookies.get('posthorn_sign_in')!
    expect(failed((await browser.get(backOfOther)).location)).toBe('expired')
    browser.cookies.set('posthorn_sign_in', kept)
    expect((await browser.get(back)).location).toBe('/')
    browser.cookies.set('posthorn_sign_in', kept)
    expect(failed((await browser.get(back)).location)).toBe('refused')
    // The sign-in in progress continues.
    expect((await browser.session()).status).toBe(200)
  })

  it('stays when the answer to another sign-in arrives, as from a second tab', async () => {
    const browser = new ProviderBrowser(service)
    const first = await browser.begin()
    const second = await browser.begin()
    expect(failed((await browser.get(first)).location)).toBe('expired')
    expect((await browser.get(second)).location).toBe('/')
  })

  it('is of no use once another provider is set', async () => {
    const before = new ProviderBrowser(service)
    const back = await before.begin()
    const signInProvider = settingsOf(provider, { clientId: 'another-client' })
    const other = await startTestService(() => ({ signInProvider, secretBox: service.secretBox }))
    expect(failed((await before.get(back, other)).location)).toBe('expired')
    await other.stop()
  })

  it('cannot be replaced by other encrypted data', async () => {
    const browser = new ProviderBrowser(service)
    const back = await browser.begin()
    const state = new URL(back, service.base).searchParams.get('state')
    const text = JSON.stringify({ state, nonce: '', verifier: '', next: '/', at: service.clock.now() })
    const sealed = Buffer.from(service.secretBox.seal(text, 'wh_1')).toString('base64url')
    browser.cookies.set('posthorn_sign_in', sealed)
    expect(failed((await browser.get(back)).location)).toBe('expired')
  })
})

describe('the redirect', () => {
  it.each(['cross-site', 'same-site'])('starts with a click if a %s page links here', async (site) => {
    const url = '/sign-in/provider?next=/operator'
    const answer = await service.call({ method: 'GET', url, headers: { 'sec-fetch-site': site } })
    const { location, 'set-cookie': cookie } = answer.headers
    expect([answer.status, location, cookie]).toEqual([303, '/sign-in?to=%2Foperator', undefined])
  })

  it.each([
    ['/w/acme/webhooks?status=on#x', '/w/acme/webhooks?status=on#x'],
    ['/operator', '/operator'],
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['/.//evil.example', '/'],
    ['/w/..//evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['/sign-in#phl_x', '/'],
    ['/console/v1/session', '/'],
    [`/w/${'x'.repeat(2_000)}`, '/'],
  ])('from %j leads to %j', async (next, expected) => {
    const query = `?${new URLSearchParams({ next })}`
    expect(await new ProviderBrowser(service).signIn(query)).toBe(expected)
  })
})
