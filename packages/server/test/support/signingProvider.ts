import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'

/** The provider's claims, which a test may make wrong. */
export interface Saying {
  /** Override those that a token needs. */
  claims: Record<string, unknown>
  /** `wrong key`: with the id of the right one. */
  signature: 'right' | 'wrong key' | 'none'
  userinfo: Record<string, unknown> | null
  /** Per path, before it answers. */
  delayMs: Record<string, number>
  status: Record<string, number>
  /** The callback's parameters instead of a code. */
  refusal: Record<string, string> | null
}

type Keys = Awaited<ReturnType<typeof newKeys>>

const newKeys = async () => ({ kid: randomUUID(), ...(await generateKeyPair('RS256')) })

/** An OpenID Connect provider whose tokens a test controls. */
export class SigningProvider {
  readonly clientId = 'posthorn'
  readonly clientSecret = 'a secret of the client, with : and %'
  saying: Saying = honest()
  /** Requested paths. */
  readonly asked: string[] = []
  readonly codes: string[] = []
  readonly tokens: string[] = []
  #server: Server | null = null
  #port = 0
  #keys: Keys | null = null
  readonly #begun = new Map<string, { readonly nonce: string; readonly challenge: string; used: boolean }>()

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async start(): Promise<this> {
    this.#keys ??= await newKeys()
    const server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => {
        response.statusCode = 500
        response.end(String(error))
      })
    })
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
    return this
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    server?.closeAllConnections()
    await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)))
  }

  /** Signs with another key from now on. */
  async rotate(): Promise<void> {
    this.#keys = await newKeys()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.issuer)
    const { pathname: path } = url
    this.asked.push(path)
    const { delayMs, status } = this.saying
    if (delayMs[path] !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs[path]))
    if (status[path] !== undefined) response.statusCode = status[path]
    const json = (value: unknown) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(value))
    }
    if (path === '/.well-known/openid-configuration') return json(this.#metadata())
    if (path === '/jwks') return json({ keys: [await this.#publicKey()] })
    if (path === '/userinfo') return json({ sub: 'person-1', ...this.saying.userinfo })
    if (path === '/token') return this.#token(request, json, response)
    if (path !== '/authorize') throw new Error(`nothing is at ${path}`)
    response.writeHead(302, { location: this.#authorize(url) }).end()
  }

  #metadata() {
    const { issuer, saying } = this
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      ...(saying.userinfo === null ? {} : { userinfo_endpoint: `${issuer}/userinfo` }),
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'none'],
    }
  }

  async #publicKey() {
    const { kid, publicKey } = this.#keys!
    return { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }
  }

  #authorize({ searchParams: asked }: URL): string {
    const back = new URL(asked.get('redirect_uri')!)
    back.searchParams.set('state', asked.get('state')!)
    const { refusal } = this.saying
    if (refusal !== null) {
      for (const [name, value] of Object.entries(refusal)) back.searchParams.set(name, value)
      return back.href
    }
    const code = randomUUID()
    this.codes.push(code)
    if (asked.get('code_challenge_method') !== 'S256') throw new Error('PKCE is missing')
    this.#begun.set(code, {
      nonce: asked.get('nonce')!,
      challenge: asked.get('code_challenge')!,
      used: false,
    })
    back.searchParams.set('code', code)
    return back.href
  }

  async #token(request: IncomingMessage, json: (value: unknown) => void, response: ServerResponse) {
    let text = ''
    for await (const chunk of request) text += chunk
    const form = new URLSearchParams(text)
    const begun = this.#begun.get(form.get('code') ?? '')
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const [id, secret] = Buffer.from(request.headers.authorization?.slice('Basic '.length) ?? '', 'base64')
      .toString()
      .split(':')
      .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
    const isClient = id === this.clientId && secret === this.clientSecret
    if (!isClient || begun === undefined || begun.used || begun.challenge !== verifier) {
      response.statusCode = 400
      return json({ error: isClient ? 'invalid_grant' : 'invalid_client' })
    }
    begun.used = true
    const id_token = await this.#idToken(begun.nonce)
    this.tokens.push(id_token)
    json({ access_token: randomUUID(), token_type: 'Bearer', expires_in: 60, id_token })
  }

  async #idToken(nonce: string): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: this.issuer,
      aud: this.clientId,
      sub: 'person-1',
      iat: now,
      exp: now + 60,
      nonce,
      email_verified: true,
      ...this.saying.claims,
    }
    const { signature } = this.saying
    if (signature === 'none') return new UnsecuredJWT(claims).encode()
    const { kid, privateKey } = this.#keys!
    const key = signature === 'right' ? privateKey : (await newKeys()).privateKey
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(key)
  }
}

export const honest = (claims: Record<string, unknown> = {}): Saying => ({
  claims,
  signature: 'right',
  userinfo: null,
  delayMs: {},
  status: {},
  refusal: null,
})
