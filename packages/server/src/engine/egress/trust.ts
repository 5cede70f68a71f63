import { X509Certificate } from 'node:crypto'
import tls from 'node:tls'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** Whom connections trust, which may change while they are made. */
export class Trust {
  #context: tls.SecureContext

  /** @param ca see {@link createTrust} */
  constructor(ca: string | undefined) {
    this.#context = createTrust(ca)
  }

  get context(): tls.SecureContext {
    return this.#context
  }

  /** Handshakes from now on go by it. Connections that are open stay open. */
  replace(context: tls.SecureContext): void {
    this.#context = context
  }
}

/**
 * The TLS context of every connection: made once, because reading some 150 root certificates costs milliseconds.
 *
 * @param ca certificates in PEM that are trusted beside the roots that Node trusts
 * @throws Error when `ca` holds no certificate, or one that cannot be read
 */
export function createTrust(ca: string | undefined): tls.SecureContext {
  return tls.createSecureContext({
    // Node's own default, pinned: a NODE_OPTIONS=--tls-min-v1.0 meant for something else must not reach us.
    minVersion: 'TLSv1.2',
    // Left out when there is nothing to add: without it Node's default store is shared, with it one is built.
    ...(ca === undefined ? {} : { ca: [...defaultRoots(), ...certificatesIn(ca)] }),
  })
}

/** `ca` replaces Node's roots instead of adding to them, so they must be named too. */
function defaultRoots(): readonly string[] {
  // Node 22.15 and 23.10 onwards. Unlike `rootCertificates` it includes NODE_EXTRA_CA_CERTS and --use-system-ca.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] }
  return getCACertificates?.('default') ?? tls.rootCertificates
}

function certificatesIn(pem: string): readonly string[] {
  const certificates = pem.match(CERTIFICATE) ?? []
  if (certificates.length === 0) throw new Error('the extra CA holds no certificate in PEM')
  certificates.forEach((certificate, i) => {
    try {
      new X509Certificate(certificate)
    } catch (cause) {
      throw new Error(`certificate ${i + 1} of the extra CA cannot be read`, { cause })
    }
  })
  return certificates
}
