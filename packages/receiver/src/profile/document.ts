/** A member of the body, as profiles write it. */
export interface ProfileEnvelopeMember {
  /** Such as `data.object`. */
  readonly path: string
  /** `id`, `type`, `time`, `data`, `workspace.id`, `workspace.slug`, `workspace.name`, or a member of the event. */
  readonly field?: string | undefined
  /** How a time is written: `iso-ms` (if left out), `unix-s` or `unix-ms`. */
  readonly as?: string | undefined
  readonly constant?: unknown
}

/** A signature, as profiles write it. */
export interface ProfileSignature {
  /** What is signed: a template that ends with `{body}`. */
  readonly content: string
  /** `hmac-sha256`, `hmac-sha512` or `ed25519`. */
  readonly algorithm: string
  /** `hex` or `base64`. */
  readonly encoding: string
  /** `base64-after-prefix`, `hex` or `utf8`; not for `ed25519`. */
  readonly secret?: string | undefined
  /** A template with one `{signature}`. */
  readonly each: string
  readonly join?: string | undefined
  readonly most?: number | undefined
}

/**
 * The JSON document of a service, as its operator writes it. These are the members that a receiver reads; what is left
 * out is as in the profile `standard`. Loose enough for `import profile from './profile.json'`.
 */
export interface ProfileDocument {
  /** The version of the format: 1. */
  readonly profile: number
  readonly headers?: { readonly [name: string]: string } | undefined
  readonly signatures?: readonly ProfileSignature[] | undefined
  /** Whether requests are not signed. */
  readonly unsigned?: boolean | undefined
  readonly secret?: { readonly prefix?: string | undefined; readonly [member: string]: unknown } | undefined
  readonly envelope?:
    | {
        readonly bare?: boolean | undefined
        readonly members?: readonly ProfileEnvelopeMember[] | undefined
        readonly [member: string]: unknown
      }
    | undefined
  readonly [member: string]: unknown
}
