import { verify as verifyHub } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'

export interface Delivered {
  readonly headers: Readonly<Record<string, string>>
  /** As received. */
  readonly body: Buffer
}

/** How a service's requests are verified, with a library that is not from this project. */
export interface Verifier {
  /** The header by which a receiver recognizes repeats. */
  readonly repeatHeader: string
  readonly verify: (secret: string, delivered: Delivered) => Promise<boolean>
}

export const VERIFIERS: Readonly<Record<'content' | 'ads', Verifier>> = {
  content: {
    repeatHeader: 'webhook-id',
    async verify(secret, { headers, body }) {
      try {
        new Webhook(secret).verify(body, headers, { jsonParse: false })
        return true
      } catch {
        return false
      }
    },
  },
  ads: {
    repeatHeader: 'x-service-delivery',
    async verify(secret, { headers, body }) {
      const signature = headers['x-service-signature']
      const text = body.toString('utf8')
      // The library takes text, so bytes that are not UTF-8 would be replaced before the signature is checked.
      if (signature === undefined || !Buffer.from(text).equals(body)) return false
      return verifyHub(secret, text, signature)
    },
  },
}
