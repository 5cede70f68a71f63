import { generate } from 'selfsigned'

/** A certificate and its key, both in PEM. */
export interface Identity {
  readonly cert: string
  readonly key: string
}

const DAY_MS = 86_400_000

/**
 * Creates a self-signed certificate for 127.0.0.1 that is valid for a day: one kept in a file would expire.
 * @param names additional host names
 */
export async function makeLoopbackIdentity(names: readonly string[] = []): Promise<Identity> {
  const now = Date.now()
  const altNames = [
    { type: 7 as const, ip: '127.0.0.1' },
    ...names.map((value) => ({ type: 2 as const, value })),
  ]
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'loopback receiver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    // A clock that was set back a little must not see a certificate that is not valid yet.
    notBeforeDate: new Date(now - DAY_MS),
    notAfterDate: new Date(now + DAY_MS),
    extensions: [{ name: 'subjectAltName', altNames }],
  })
  return { cert, key }
}
