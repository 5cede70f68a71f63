import { generateKeyPairSync, sign } from 'node:crypto'

/** A certificate and its key, both in PEM. */
export interface Identity {
  readonly cert: string
  readonly key: string
}

const DAY_MS = 86_400_000
/** 1.2.840.10045.4.3.2 */
const ECDSA_WITH_SHA256 = der(0x30, Buffer.from('06082a8648ce3d040302', 'hex'))
/** 2.5.29.17 */
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex')
/** 2.5.4.3 */
const COMMON_NAME = Buffer.from('0603550403', 'hex')

/**
 * Makes a self-signed certificate (RFC 5280) for 127.0.0.1 that is valid for a day. One kept in a file would run out,
 * and not every machine has a tool that makes them.
 */
export function makeLoopbackIdentity(): Identity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from('loopback receiver')))))
  const now = Date.now()
  const loopback = der(0x30, der(0x87, Buffer.of(127, 0, 0, 1)))
  const toBeSigned = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ECDSA_WITH_SHA256,
    name,
    der(0x30, utcTime(now - DAY_MS), utcTime(now + DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, der(0x30, SUBJECT_ALT_NAME, der(0x04, loopback)))),
  )
  const signature = sign('sha256', toBeSigned, privateKey)
  const certificate = der(0x30, toBeSigned, ECDSA_WITH_SHA256, der(0x03, Buffer.of(0), signature))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** One element in DER. None here comes to 64 KiB. */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...length), body])
}

function utcTime(at: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`))
}
