import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type Configuration, Provider } from 'oidc-provider'
import { freePort } from '../support/freePort.ts'

const CLIENT_ID = 'posthorn-console'
const FORM = { 'content-type': 'text/html; charset=utf-8' }

/** The npm package oidc-provider, a third-party OpenID Connect provider, with test users. */
export class OidcProvider {
  readonly clientId = CLIENT_ID
  readonly clientSecret = randomBytes(24).toString('hex')
  /** Groups of users by email address. */
  readonly groups = new Map<string, readonly string[]>()
  readonly #port: number
  readonly #provider: Provider
  #server: Server | null = null

  private constructor(port: number, redirectUri: string) {
    this.#port = port
    this.#provider = new Provider(this.issuer, this.#configuration(redirectUri))
  }

  /** Creates one that does not answer yet. @param redirectUri allowed target after sign-in */
  static async make(redirectUri: string): Promise<OidcProvider> {
    return new OidcProvider(await freePort(), redirectUri)
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<void> {
    const rest = this.#provider.callback()
    this.#server = createServer((request, response) => {
      if (!request.url!.startsWith('/people/')) return void rest(request, response)
      this.#ask(request, response).catch((error) => response.writeHead(500).end(String(error)))
    })
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (server === null) return
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }

  #configuration(redirectUri: string): Configuration {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    return {
      clients: [{ client_id: CLIENT_ID, client_secret: this.clientSecret, redirect_uris: [redirectUri] }],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kty: 'RSA', alg: 'RS256', use: 'sig' }] },
      cookies: { keys: [randomBytes(32).toString('hex')] },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
      interactions: { url: (_context, { uid }) => `/people/${uid}` },
      findAccount: (_context, email) => ({
        accountId: email,
        claims: async () => ({
          sub: email,
          email,
          email_verified: true,
          name: 'Someone',
          groups: [...(this.groups.get(email) ?? [])],
        }),
      }),
      // Skips the consent page.
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client!.clientId,
          accountId: oidc.session!.accountId!,
        })
        grant.addOIDCScope('openid email profile groups')
        await grant.save()
        return grant
      },
    }
  }

  /** Asks for an email address, without a password. */
  async #ask(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      response.writeHead(200, FORM).end(PAGE)
      return
    }
    let text = ''
    for await (const chunk of request) text += chunk
    const form = new URLSearchParams(text)
    const result =
      form.get('choice') === 'cancel'
        ? { error: 'access_denied', error_description: 'canceled' }
        : { login: { accountId: form.get('email')! } }
    await this.#provider.interactionFinished(request, response, result)
  }
}

const PAGE = `<!doctype html>
<html lang="en"><link rel="icon" href="data:,"><title>Example ID</title>
<form method="post"><h1>Example ID</h1>
<label>Who are you? <input name="email"></label>
<button name="choice" value="go">Continue</button><button name="choice" value="cancel">Cancel</button></form></html>`
