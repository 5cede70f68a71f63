import { createHmac } from 'node:crypto'
import type { TestReceiver } from '../support/receiver.ts'
import type { ServiceName } from './client.ts'

type Received = TestReceiver['requests'][number]

/**
 * The required signature header of a request, computed only from the contracts. @param secrets newest first
 */
export function signatureOf(name: ServiceName, request: Received, secrets: readonly string[]): string {
  return name === 'content' ? standard(request, secrets) : service(request, secrets[0]!)
}

/** The signature header of each service. */
export const SIGNATURE_HEADER = { content: 'webhook-signature', ads: 'x-service-signature' } as const

function standard({ headers, body }: Received, secrets: readonly string[]): string {
  const signed = Buffer.concat([
    Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`),
    body,
  ])
  const entry = (secret: string) => {
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  }
  return secrets.map(entry).join(' ')
}

function service({ body }: Received, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}
