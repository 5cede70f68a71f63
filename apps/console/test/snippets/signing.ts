import { createHmac } from 'node:crypto'

/** Headers as a sender of Standard Webhooks makes them; written down once more, apart from the product. */
export function standardHeaders(params: {
  readonly secrets: readonly string[]
  readonly id: string
  readonly timestamp: string
  readonly body: Buffer
}): Record<string, string> {
  const { secrets, id, timestamp, body } = params
  const entries = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': entries.join(' ') }
}

/** Headers as the advertising platform makes them. */
export const hexHeaders = (secret: string, body: Buffer, type: string): Record<string, string> => ({
  'x-service-event': type,
  'x-service-delivery': '01941f29-7c00-7aaa-8bbb-0123456789ab',
  'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
})
