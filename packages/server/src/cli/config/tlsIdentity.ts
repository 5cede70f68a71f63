import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { secureContextOf, type TlsIdentity } from '../../http/shared/servers.ts'
import type { Config } from '../settings.ts'
import { type OpenFile, readTextFile } from './textFile.ts'

/**
 * Reads the certificate of the service and its key.
 * @param mistakes receives a line for each file that cannot be used
 * @param openFiles receives the file of the key if other users have access to it
 */
export function readTlsIdentity(
  { tlsCertFile, tlsKeyFile }: Partial<Pick<Config, 'tlsCertFile' | 'tlsKeyFile'>>,
  mistakes: string[],
  openFiles: OpenFile[],
): TlsIdentity | null {
  if (tlsCertFile == null && tlsKeyFile == null) return null
  if (tlsCertFile == null || tlsKeyFile == null) {
    const [set, missing] = tlsKeyFile == null ? ['CERT', 'KEY'] : ['KEY', 'CERT']
    mistakes.push(`POSTHORN_TLS_${missing}_FILE: set it too, since POSTHORN_TLS_${set}_FILE is set`)
  }
  const cert =
    tlsCertFile == null ? null : read('POSTHORN_TLS_CERT_FILE', tlsCertFile, checkCertificate, mistakes)
  const key = tlsKeyFile == null ? null : read('POSTHORN_TLS_KEY_FILE', tlsKeyFile, checkKey, mistakes)
  if (tlsCertFile == null || tlsKeyFile == null || cert === null || key === null) return null
  if (key.openMode !== null) openFiles.push({ file: tlsKeyFile, mode: key.openMode })
  const identity = { cert: cert.text, key: key.text }
  try {
    createSecureContext(secureContextOf(identity))
    return identity
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason =
      code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' || /mismatch/.test(message)
        ? `the key in ${tlsKeyFile} does not belong to the certificate in ${tlsCertFile}`
        : `cannot use ${tlsCertFile} with ${tlsKeyFile}: ${message}`
    mistakes.push(`POSTHORN_TLS_KEY_FILE: ${reason}`)
    return null
  }
}

/** When the certificate expires, Unix ms. Only the first one of the chain is checked. */
export const expiryOf = ({ cert }: TlsIdentity): number => Date.parse(new X509Certificate(cert).validTo)

function read(
  variable: string,
  file: string,
  check: (pem: string, file: string) => void,
  mistakes: string[],
): ReturnType<typeof readTextFile> | null {
  try {
    const found = readTextFile(file)
    check(found.text, file)
    return found
  } catch (error) {
    mistakes.push(`${variable}: ${(error as Error).message}`)
    return null
  }
}

function checkCertificate(pem: string, file: string): void {
  try {
    new X509Certificate(pem)
  } catch {
    throw new Error(`${file} contains no PEM certificate, which begins with -----BEGIN CERTIFICATE-----`)
  }
}

function checkKey(pem: string, file: string): void {
  if (/ENCRYPTED/.test(pem)) throw new Error(`the key in ${file} has a passphrase; use a key without one`)
  try {
    createPrivateKey(pem)
  } catch {
    throw new Error(`${file} contains no PEM private key, which begins with -----BEGIN PRIVATE KEY-----`)
  }
}
