import type * as openidClient from 'openid-client'
import type { Clock } from '../../core/clock.ts'
import { HOUR_MS, SECOND_MS } from '../../core/duration.ts'
import type { ProviderSettings } from '../shared/providerSettings.ts'
import { boundedFetch, ProviderUnreachableError } from './boundedFetch.ts'
import { type Claims, joined, type ProviderPerson, personOf, valuesAt } from './claims.ts'
import { reasonOf, SignInFailure } from './failures.ts'
import type { SignInState } from './stateCookie.ts'

/** Limits requests to a provider that is down. */
const ASK_AGAIN_AFTER_MS = 5 * SECOND_MS
/** Endpoints of a provider change about as often as its software. */
const METADATA_LIFE_MS = HOUR_MS
const CLOCK_TOLERANCE_S = 30

type Library = typeof openidClient

interface Discovered {
  readonly library: Library
  readonly configuration: openidClient.Configuration
  /** By the monotonic clock, ms. */
  readonly at: number
}

/**
 * Asks an OpenID Connect provider who a person is: authorization code flow with PKCE, state and nonce. The first sign-in
 * makes the first request, so that the service starts and runs without it. The library checks issuer, audience, nonce, times and signature
 * of ID tokens.
 */
export class IdentityProvider {
  readonly #settings: ProviderSettings
  readonly #clock: Pick<Clock, 'monotonic'>
  #discovered: Discovered | null = null
  #discovering: Promise<Discovered> | null = null
  #failure: { readonly at: number; readonly error: unknown } | null = null

  constructor(settings: ProviderSettings, clock: Pick<Clock, 'monotonic'>) {
    this.#settings = settings
    this.#clock = clock
  }

  /**
   * @param redirectUri where the provider leads people back to
   * @returns where to send the person, and what {@link exchange} will need
   * @throws SignInFailure
   */
  async begin(
    redirectUri: string,
  ): Promise<{ readonly url: URL; readonly checks: Pick<SignInState, 'state' | 'nonce' | 'verifier'> }> {
    const { library, configuration } = await this.#metadata()
    const checks = {
      state: library.randomState(),
      nonce: library.randomNonce(),
      verifier: library.randomPKCECodeVerifier(),
    }
    const parameters = {
      redirect_uri: redirectUri,
      scope: this.#settings.scopes,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
    }
    try {
      return { url: library.buildAuthorizationUrl(configuration, parameters), checks }
    } catch (error) {
      // Its metadata lacks the address.
      throw failureOf(error)
    }
  }

  /**
   * @param answered the address that the provider led the person back to
   * @throws SignInFailure
   */
  async exchange(answered: URL, checks: SignInState): Promise<ProviderPerson> {
    try {
      return personOf(await this.#claims(answered, checks), this.#settings)
    } catch (error) {
      throw failureOf(error)
    }
  }

  async #claims(answered: URL, { state, nonce, verifier }: SignInState): Promise<Claims> {
    const { library, configuration } = await this.#metadata()
    const tokens = await library.authorizationCodeGrant(configuration, answered, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()!
    if (!this.#lacks(claims) || configuration.serverMetadata().userinfo_endpoint === undefined) return claims
    return joined(claims, await library.fetchUserInfo(configuration, tokens.access_token, claims.sub))
  }

  /** Whether an ID token leaves out what the user info endpoint may have. */
  #lacks(claims: Claims): boolean {
    const { grants, rolesClaim } = this.#settings
    return claims.email === undefined || (grants.length > 0 && valuesAt(claims, rolesClaim).length === 0)
  }

  /** @throws SignInFailure */
  async #metadata(): Promise<Discovered> {
    const now = this.#clock.monotonic()
    const known = this.#discovered
    if (known !== null && now - known.at < METADATA_LIFE_MS) return known
    const failure = this.#failure
    try {
      if (failure !== null && now - failure.at < ASK_AGAIN_AFTER_MS) throw failure.error
      this.#discovering ??= this.#discover().finally(() => {
        this.#discovering = null
      })
      return await this.#discovering
    } catch (error) {
      // Its earlier metadata is most likely still right.
      if (known !== null) return known
      throw failureOf(error)
    }
  }

  async #discover(): Promise<Discovered> {
    // Most services have no provider.
    const library = await import('openid-client')
    const { issuer, clientId, clientSecret } = this.#settings
    try {
      const configuration = await library.discovery(
        new URL(issuer),
        clientId,
        { [library.clockTolerance]: CLOCK_TOLERANCE_S },
        authenticationOf(library, clientSecret),
        {
          [library.customFetch]: boundedFetch,
          execute: [
            library.enableNonRepudiationChecks,
            ...(issuer.startsWith('http:') ? [library.allowInsecureRequests] : []),
          ],
        },
      )
      this.#failure = null
      this.#discovered = { library, configuration, at: this.#clock.monotonic() }
      return this.#discovered
    } catch (error) {
      this.#failure = { at: this.#clock.monotonic(), error }
      throw error
    }
  }
}

/** By the method that the provider supports. */
function authenticationOf(library: Library, secret: string | null): ReturnType<Library['None']> {
  if (secret === null) return library.None()
  const [post, basic] = [library.ClientSecretPost(secret), library.ClientSecretBasic(secret)]
  return (server, ...rest) => {
    // The standard's default is basic.
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}

function failureOf(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error
  const reason = reasonOf(error)
  const { error: code } = error as { readonly error?: unknown }
  if (code === 'access_denied') return new SignInFailure('canceled', reason)
  return new SignInFailure(isOutage(error) ? 'provider_down' : 'refused', reason)
}

const OUTAGES: readonly unknown[] = ['server_error', 'temporarily_unavailable']

function isOutage(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ProviderUnreachableError || OUTAGES.includes((cause as { error?: unknown }).error))
      return true
  return false
}
