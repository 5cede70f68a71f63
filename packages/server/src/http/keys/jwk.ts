import { hash } from 'node:crypto'

/** A public key as a JSON Web Key (RFC 7517, RFC 8037). */
export interface PublicJwk {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly use: 'sig'
  readonly alg: 'EdDSA'
  readonly kid: string
}

/** @param publicKey as customers see it: `whpk_` and the base64 of its 32 bytes */
export function jwkOf(publicKey: string): PublicJwk {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url')
  return { kty: 'OKP', crv: 'Ed25519', x, use: 'sig', alg: 'EdDSA', kid: thumbprintOf(x) }
}

/** The same for one key always (RFC 7638): receivers may keep keys by it. */
const thumbprintOf = (x: string): string =>
  hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url')
