import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { text } from 'node:stream/consumers'
import { SECOND_MS } from '../core/duration.ts'
import { RemoteError } from './remote/client.ts'
import type { Config } from './settings.ts'

const ANSWER_WITHIN_MS = 4 * SECOND_MS

/**
 * Asks the node at its own address whether it would accept a publish. For `HEALTHCHECK` of the image, and for supervisors.
 * @throws RemoteError (rejects) if it would not, or does not answer within 4 seconds
 */
export async function healthcheck({
  host,
  port,
  tlsCertFile,
}: Pick<Config, 'host' | 'port' | 'tlsCertFile'>): Promise<void> {
  const url = new URL(`${tlsCertFile === null ? 'http' : 'https'}://${reachable(host)}:${port}/readyz`)
  const { status, body } = await ask(url).catch((error: Error) => {
    throw new RemoteError(`${url.href} does not answer: ${error.message}`)
  })
  if (status !== 200) throw new RemoteError(`${url.href} answered ${status}: ${body}`, [], status)
  process.stdout.write('ready\n')
}

function ask(url: URL): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
    const get = url.protocol === 'https:' ? getHttps : getHttp
    // The certificate has the public name, not this address. The request has no secret.
    get(url, { signal, rejectUnauthorized: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode!, body }), reject)
    }).on('error', (error) => {
      reject(signal.aborted ? new Error(`no answer within ${ANSWER_WITHIN_MS / SECOND_MS} seconds`) : error)
    })
  })
}

/** Turns a listen address into an address to connect to. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
