import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** A certificate and its key, both in PEM. */
export interface Identity {
  readonly cert: string
  readonly key: string
}

export interface CertificateOptions {
  readonly commonName: string
  readonly dnsNames?: readonly string[]
  readonly ipv4?: readonly string[]
  readonly notBefore?: Date
  readonly notAfter?: Date
  /** Absent: self-signed. */
  readonly issuer?: Identity & { readonly commonName: string }
  readonly isAuthority?: boolean
}

const DAY_MS = 86_400_000

/**
 * Makes an X.509 v3 certificate (RFC 5280) on P-256, with Node alone: a fresh machine may have no openssl, and a
 * certificate kept in the repository would expire.
 */
export function makeCertificate(options: CertificateOptions): Identity & { readonly commonName: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { commonName, issuer } = options
  const signingKey = issuer === undefined ? privateKey : createPrivateKey(issuer.key)
  const signed = toBeSigned(options, publicKey, issuer?.commonName ?? commonName)
  const signature = sign('sha256', signed, signingKey)
  const der = sequence(signed, ECDSA_WITH_SHA256, bitString(signature))
  const base64 = der.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    commonName,
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

let serial = 0

function toBeSigned(options: CertificateOptions, publicKey: KeyObject, issuerName: string): Buffer {
  const notBefore = options.notBefore ?? new Date(Date.now() - DAY_MS)
  const notAfter = options.notAfter ?? new Date(Date.now() + DAY_MS)
  serial += 1
  return sequence(
    tagged(0xa0, integer(2)),
    integer(0x1000 + serial),
    ECDSA_WITH_SHA256,
    nameOf(issuerName),
    sequence(utcTime(notBefore), utcTime(notAfter)),
    nameOf(options.commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensionsOf(options))),
  )
}

function extensionsOf({ dnsNames = [], ipv4 = [], isAuthority = false }: CertificateOptions): Buffer[] {
  const basicConstraints = sequence(...(isAuthority ? [tagged(0x01, Buffer.of(0xff))] : []))
  const extensions = [
    sequence(oid(0x55, 0x1d, 0x13), tagged(0x01, Buffer.of(0xff)), octetString(basicConstraints)),
  ]
  const names = [
    ...dnsNames.map((name) => tagged(0x82, Buffer.from(name, 'ascii'))),
    ...ipv4.map((address) => tagged(0x87, Buffer.from(address.split('.').map(Number)))),
  ]
  if (names.length > 0) extensions.push(sequence(oid(0x55, 0x1d, 0x11), octetString(sequence(...names))))
  return extensions
}

function tagged(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...length), body])
}

function sequence(...content: readonly Buffer[]): Buffer {
  return tagged(0x30, ...content)
}

function oid(...bytes: readonly number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes))
}

function octetString(content: Buffer): Buffer {
  return tagged(0x04, content)
}

function bitString(content: Buffer): Buffer {
  return tagged(0x03, Buffer.of(0), content)
}

/** Below 0x8000, which keeps the sign bit of its first byte clear. */
function integer(value: number): Buffer {
  return tagged(0x02, value < 128 ? Buffer.of(value) : Buffer.of(value >> 8, value & 0xff))
}

function utcTime(date: Date): Buffer {
  return tagged(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`, 'ascii'))
}

function nameOf(commonName: string): Buffer {
  const attribute = sequence(oid(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from(commonName, 'utf8')))
  return sequence(tagged(0x31, attribute))
}

/** 1.2.840.10045.4.3.2 */
const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
