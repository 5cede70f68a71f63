import { X509Certificate } from 'node:crypto'
import tls from 'node:tls'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** The trusted certificates of connections, which may change at run time. */
export class Trust {
  #context: tls.SecureContext

  /** @param ca see {@link createTrust} */
  constructor(ca: string | undefined) {
    this.#context = createTrust(ca)
  }

  get context(): tls.SecureContext {
    return this.#context
  }

  /** Applies to handshakes from now on. Open connections stay open. */
  replace(context: tls.SecureContext): void {
    this.#context = context
  }
}

/**
 * The TLS context of all connections, created once, because parsing some 150 root certificates takes milliseconds.
 *
 * @param ca certificates in PEM that are trusted in addition to Node's roots
 * @throws Error when `ca` has no certificate, or one that cannot be read
 */
export function createTrust(ca: string | undefined): tls.SecureContext {
  return tls.createSecureContext({
    // Node's own default, pinned: NODE_OPTIONS=--tls-min-v1.0, set for another purpose, must have no effect.
    minVersion: 'TLSv1.2',
    // Left out if there is nothing to add: then Node's shared default store is used instead of a new one.
    ...(ca === undefined ? {} : { ca: [...defaultRoots(), ...certificatesIn(ca)] }),
  })
}

/** `ca` replaces Node's roots instead of adding to them, so they must be listed too. */
function defaultRoots(): readonly string[] {
  // Node 22.15 and 23.10 onwards. Unlike `rootCertificates` it includes NODE_EXTRA_CA_CERTS and --use-system-ca.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] }
  return getCACertificates?.('default') ?? tls.rootCertificates
}

function certificatesIn(pem: string): readonly string[] {
  const certificates = pem.match(CERTIFICATE) ?? []
  if (certificates.length === 0) throw new Error('the extra CA contains no PEM certificate')
  certificates.forEach((certificate, i) => {
    try {
      new X509Certificate(certificate)
    } catch (cause) {
      throw new Error(`certificate ${i + 1} of the extra CA cannot be read`, { cause })
    }
  })
  return certificates
}
