import { logged } from './javaScript.ts'
import { runWith, type Snippet } from './snippet.ts'
import type { Verification } from './verification.ts'

export const standardwebhooks = (verification: Verification): Snippet => ({
  language: 'standardwebhooks',
  label: 'Node.js with standardwebhooks',
  note: 'Requests follow the Standard Webhooks convention, so any library for it works, in other languages too.',
  install: 'npm install standardwebhooks',
  file: 'receiver.mjs',
  code: `import { createServer } from 'node:http'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET)
const MAX_BODY_BYTES = 1_048_576

createServer(async (request, response) => {
  try {
    // The raw body: one that was parsed and written again does not verify.
    const chunks = []
    let length = 0
    for await (const chunk of request) {
      length += chunk.length
      if (length > MAX_BODY_BYTES) return response.writeHead(413).end()
      chunks.push(chunk)
    }
    // Checks the signature in constant time, and that the request is at most 5 minutes old.
    const event = webhook.verify(Buffer.concat(chunks).toString(), request.headers)
    // The same event can come twice: skip those whose id you have seen. Answer first, work later.
    console.log('verified', ${logged(verification)})
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) {
      console.error(error)
      return response.writeHead(500).end()
    }
    console.error('refused:', error.message)
    response.writeHead(400).end(error.message)
  }
}).listen(process.env.PORT ?? 3000)
`,
  run: runWith(verification, 'node receiver.mjs'),
})
