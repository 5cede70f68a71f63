import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AUTHENTICATION_LIMITS } from '../../src/http/shared/throttle/limits.ts'
import { StoreUnavailableError } from '../../src/storage/storage.ts'
import { honest, SigningProvider } from '../support/signingProvider.ts'
import { addOperator, browserOf, newAddress, session } from './people.ts'
import { failed, ProviderBrowser, settingsOf, signInWith } from './providers.ts'
import { startTestService, type TestService } from './service.ts'

let provider: SigningProvider
let service: TestService
const email = newAddress()

beforeEach(async () => {
  provider = await new SigningProvider().start()
  provider.saying = honest({ email })
  service = await startTestService(() => ({
    signInProvider: settingsOf(provider),
    authenticationLimits: AUTHENTICATION_LIMITS,
  }))
  await addOperator(service, email)
})
afterEach(async () => {
  await service.stop()
  await provider.stop()
})

const begun = async () => failed((await new ProviderBrowser(service).get('/sign-in/provider')).location)

describe('while the identity provider does not answer', () => {
  it('links sign in, sessions continue, and it is contacted again some seconds later', async () => {
    await provider.stop()
    expect(await begun()).toBe('provider_down')
    const cookie = await browserOf(service, email)
    expect((await session(service, 'GET', { cookie })).status).toBe(200)
    expect((await service.call({ method: 'GET', url: '/readyz' })).status).toBe(200)
    await provider.start()
    expect(await begun()).toBe('provider_down')
    expect(provider.asked).toEqual([])
    service.clock.forward(5_000)
    const { browser, location } = await signInWith(service, provider, { email })
    expect(location).toBe('/')
    await provider.stop()
    expect((await browser.session()).status).toBe(200)
  })

  it('a sign-in in progress fails, and none of its requests counts as a wrong credential', async () => {
    const browser = new ProviderBrowser(service)
    for (const path of ['/token', '/jwks']) {
      provider.saying.status = { [path]: 503 }
      for (let i = 0; i < 60; i++) expect(failed(await browser.signIn())).toBe('provider_down')
    }
    const back = await browser.begin()
    await provider.stop()
    expect(failed((await browser.get(back)).location)).toBe('provider_down')
    await provider.start()
    expect((await signInWith(service, provider, { email })).location).toBe('/')
  })

  it('all that wait for its metadata share one request', async () => {
    provider.saying.delayMs = { '/.well-known/openid-configuration': 50 }
    const answers = await Promise.all(Array.from({ length: 10 }, () => new ProviderBrowser(service).begin()))
    expect(answers).toHaveLength(10)
    expect(provider.asked.filter((path) => path.includes('well-known'))).toHaveLength(1)
  })

  it('no more than 8 sign-ins of a client wait for it, and none longer than 5 seconds', async () => {
    provider.saying.delayMs = { '/token': 8_000 }
    const browsers = Array.from({ length: 13 }, () => new ProviderBrowser(service))
    const backs = await Promise.all(browsers.map((browser) => browser.begin()))
    const began = performance.now()
    const answers = await Promise.all(browsers.map((browser, i) => browser.get(backs[i]!)))
    expect(performance.now() - began).toBeLessThan(7_500)
    const codes = answers.map(({ location }) => failed(location))
    expect(codes.filter((code) => code === 'provider_down')).toHaveLength(8)
    expect(codes.filter((code) => code === 'busy')).toHaveLength(5)
  })
})

it('while the store does not answer, the page says that this service is not available', async () => {
  const signInByProvider = () => Promise.reject(new StoreUnavailableError('disk full'))
  const other = await startTestService(({ storage }) => ({
    signInProvider: settingsOf(provider),
    storage: { ...storage, signIns: { ...storage.signIns, signInByProvider } },
  }))
  expect(await new ProviderBrowser(other).signIn('?next=/operator')).toBe(
    '/sign-in?to=%2Foperator#failed=unavailable',
  )
  await other.stop()
})

it('sessions that began at the provider end when it is no longer set', async () => {
  const { browser } = await signInWith(service, provider, { email })
  const { cookie } = browser
  const findBrowserSession: typeof service.storage.findBrowserSession = (params) =>
    service.storage.findBrowserSession(params)
  const without = await startTestService((deps) => ({
    storage: { ...deps.storage, credentials: { ...deps.storage.credentials, findBrowserSession } },
  }))
  expect((await session(service, 'GET', { cookie })).status).toBe(200)
  expect((await session(without, 'GET', { cookie })).status).toBe(401)
  await without.stop()
})

describe('the answers of the identity provider', () => {
  it('must be those of the issuer', async () => {
    const other = await startTestService(() => ({
      signInProvider: settingsOf(provider, { issuer: `${provider.issuer}/tenant` }),
    }))
    const { location } = await new ProviderBrowser(other).get('/sign-in/provider')
    expect(failed(location)).not.toBeNull()
    await other.stop()
  })

  it('may not be long', async () => {
    provider.saying.claims = { email, padding: 'x'.repeat(600_000) }
    expect(failed(await new ProviderBrowser(service).signIn())).toBe('provider_down')
  })

  it('are requested with the secret of the client', async () => {
    const other = await startTestService(() => ({
      signInProvider: settingsOf(provider, { clientSecret: 'wrong' }),
    }))
    expect(failed(await new ProviderBrowser(other).signIn())).toBe('refused')
    expect(other.logs.join()).toContain('invalid_client')
    await other.stop()
  })
})

describe('wrong callbacks', () => {
  it('are limited by address like other wrong credentials, and links are not', async () => {
    let code: string | null = null
    for (let i = 0; i < 200 && code !== 'busy'; i++) {
      const url = `/sign-in/provider/callback?code=x&state=guess-${i}`
      code = failed((await new ProviderBrowser(service).get(url)).location)
    }
    expect(code).toBe('busy')
    expect(provider.asked).toEqual([])
    const url = '/console/v1/sign-in-links'
    const asked = await service.call({ method: 'POST', url, body: { email } })
    expect(asked.status).toBe(202)
  })

  it('are limited also where the state is one that the client began itself', async () => {
    const browser = new ProviderBrowser(service)
    provider.saying.refusal = { error: 'access_denied' }
    const back = await browser.begin()
    const sealed = browser.cookies.get('posthorn_sign_in')!
    expect(failed((await browser.get(back)).location)).toBe('canceled')
    let code: string | null = null
    for (let i = 0; i < 200 && code !== 'busy'; i++) {
      const url = `/sign-in/provider/callback?code=x&state=guess-${i}`
      code = failed((await new ProviderBrowser(service).get(url)).location)
    }
    browser.cookies.set('posthorn_sign_in', sealed)
    expect(failed((await browser.get(back)).location)).toBe('busy')
  })
})
