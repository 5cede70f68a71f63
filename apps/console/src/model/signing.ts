/** One signature of requests, as the service's profile has it. */
export interface SignatureScheme {
  /** A template that ends with `{body}`. */
  readonly content: string
  readonly algorithm: 'hmac-sha256' | 'hmac-sha512' | 'ed25519'
  readonly encoding: 'hex' | 'base64'
  /** How a secret becomes the key; `null`: it does not, the key is a public one. */
  readonly secret: 'base64-after-prefix' | 'hex' | 'utf8' | null
  /** A template of one signature, with `{signature}` in it. */
  readonly each: string
  /** Between two signatures; `null`: there is one only. */
  readonly join: string | null
}

/** Where members of a body are, such as `data.object`. */
interface SignedBody {
  /** `null`: not in the body. */
  readonly id: string | null
  readonly type: string | null
  /** `null`: it is the body. */
  readonly data: string | null
  readonly members: readonly string[]
}

/** How requests are signed, and where receivers find what they need to verify them. */
export interface Signing {
  /** Templates by the names of headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly signatures: readonly SignatureScheme[]
  /** Stands before a signing secret. */
  readonly secretPrefix: string
  readonly body: SignedBody
}
