import { type CertificateExtension, generate } from 'selfsigned'
import { DAY_MS } from '../../src/core/duration.ts'

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
  readonly issuer?: Identity
  readonly isAuthority?: boolean
}

/**
 * Creates a certificate: a fresh machine may have no openssl, and one kept in the repository would expire.
 */
export async function makeCertificate(options: CertificateOptions): Promise<Identity> {
  const { commonName, issuer } = options
  const { cert, private: key } = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: options.notBefore ?? new Date(Date.now() - DAY_MS),
    notAfterDate: options.notAfter ?? new Date(Date.now() + DAY_MS),
    extensions: extensionsOf(options),
    ...(issuer === undefined ? {} : { ca: issuer }),
  })
  return { cert, key }
}

function extensionsOf({
  dnsNames = [],
  ipv4 = [],
  isAuthority = false,
}: CertificateOptions): CertificateExtension[] {
  const altNames = [
    ...dnsNames.map((value) => ({ type: 2 as const, value })),
    ...ipv4.map((ip) => ({ type: 7 as const, ip })),
  ]
  return [
    { name: 'basicConstraints', cA: isAuthority, critical: true },
    ...(altNames.length === 0 ? [] : [{ name: 'subjectAltName' as const, altNames }]),
  ]
}
