import { type CertificateExtension, generate } from 'selfsigned'

const DAY_MS = 24 * 3_600_000

/** The certificate and key of a TLS server of the demo, and the certificate that its clients trust. All in PEM. */
export interface Certificates {
  /** The certificate of the authority. A client that trusts it trusts the server. */
  readonly authority: string
  readonly cert: string
  readonly key: string
}

/** Creates a certificate authority for this run and lets it sign a certificate for this machine's loopback addresses. */
export async function makeCertificates(): Promise<Certificates> {
  const now = Date.now()
  const validity = {
    keyType: 'ec' as const,
    algorithm: 'sha256',
    // The certificate must be valid even if the clock was set back a little.
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + 30 * DAY_MS),
  }
  const authority = await generate([{ name: 'commonName', value: 'Posthorn demo authority' }], {
    ...validity,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  })
  const server = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...validity,
    ca: { key: authority.private, cert: authority.cert },
    extensions: SERVER_EXTENSIONS,
  })
  return { authority: authority.cert, cert: server.cert, key: server.private }
}

const SERVER_EXTENSIONS: CertificateExtension[] = [
  { name: 'basicConstraints', cA: false, critical: true },
  { name: 'keyUsage', digitalSignature: true, critical: true },
  { name: 'extKeyUsage', serverAuth: true },
  {
    name: 'subjectAltName',
    altNames: [
      { type: 2, value: 'localhost' },
      { type: 7, ip: '127.0.0.1' },
    ],
  },
]
