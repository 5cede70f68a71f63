import type { ProviderSettings } from '../../src/http/shared/providerSettings.ts'
import { honest, type SigningProvider } from '../support/signingProvider.ts'
import type { TestService } from './service.ts'

export const settingsOf = (
  { issuer, clientId, clientSecret }: Pick<ProviderSettings, 'issuer' | 'clientId' | 'clientSecret'>,
  overrides: Partial<ProviderSettings> = {},
): ProviderSettings => ({
  issuer,
  clientId,
  clientSecret,
  name: 'Example ID',
  scopes: 'openid email profile',
  rolesClaim: 'groups',
  grants: [],
  acceptsUnverified: false,
  ...overrides,
})

/** A browser that signs in at the provider. */
export class ProviderBrowser {
  readonly #service: TestService
  readonly cookies = new Map<string, string>()

  constructor(service: TestService) {
    this.#service = service
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** @param service another node, or the service after a restart with other settings */
  async get(url: string, service = this.#service) {
    const answer = await service.call({ method: 'GET', url, headers: { cookie: this.cookie } })
    for (const set of [answer.headers['set-cookie'] ?? []].flat() as string[]) {
      const [name = '', value = ''] = set.split(';', 1)[0]!.split('=')
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return { ...answer, location: String(answer.headers.location ?? '') }
  }

  /** @returns the redirect address from the provider */
  async begin(query = ''): Promise<string> {
    const { status, location } = await this.get(`/sign-in/provider${query}`)
    if (status !== 302) throw new Error(`it did not begin: ${status} ${location}`)
    const answer = await fetch(location, { redirect: 'manual' })
    const back = new URL(answer.headers.get('location')!)
    return back.pathname + back.search
  }

  /** @returns the redirect of the service */
  async signIn(query = ''): Promise<string> {
    return (await this.get(await this.begin(query))).location
  }

  session() {
    return this.get('/console/v1/session')
  }
}

/** Signs a user in with claims. @returns the browser, and its redirect */
export async function signInWith(
  service: TestService,
  provider: SigningProvider,
  claims: Record<string, unknown>,
) {
  provider.saying = honest(claims)
  const browser = new ProviderBrowser(service)
  return { browser, location: await browser.signIn() }
}

/** The failure code in the address of the sign-in page. */
export const failed = (location: string) =>
  new URLSearchParams(new URL(location, 'http://here.invalid').hash.slice(1)).get('failed')
