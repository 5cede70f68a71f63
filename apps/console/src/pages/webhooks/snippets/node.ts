import { runWith, type Snippet } from './snippet.ts'
import type { Verification } from './verification.ts'

const code = (scheme: 'standard' | 'service', verified: string) => `import { createServer } from 'node:http'
import { createReceiver, WebhookVerificationError } from '@posthorn/receiver'

const receiver = createReceiver({ scheme: '${scheme}', secrets: process.env.WEBHOOK_SECRET })
const MAX_BODY_BYTES = 1_048_576

createServer(async (request, response) => {
  try {
    // The raw bytes: a body that was parsed and written again does not verify.
    const chunks = []
    let length = 0
    for await (const chunk of request) {
      length += chunk.length
      if (length > MAX_BODY_BYTES) return response.writeHead(413).end()
      chunks.push(chunk)
    }
${verified}
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) {
      console.error(error)
      return response.writeHead(500).end()
    }
    const reason = \`\${error.code}: \${error.message}\`
    console.error('refused:', reason)
    response.writeHead(400).end(reason)
  }
}).listen(process.env.PORT ?? 3000)
`

const STANDARD = `    // Checks the signature in constant time, and that the request is at most 5 minutes old.
    const { id, event } = await receiver.verify(Buffer.concat(chunks), request.headers)
    // The same event can come twice: skip those whose id you have seen. Answer first, work later.
    console.log('verified', id, event.type, event.data)`

const HEX = `    // Checks the signature in constant time.
    const { event } = await receiver.verify(Buffer.concat(chunks), request.headers)
    // The same event can come twice: skip those whose id you have seen. Answer first, work later.
    console.log('verified', event.id, event.type, event.payload)`

/** With the library of this project, which knows the bodies of two services. */
export const node = (verification: Verification): Snippet => ({
  language: 'node',
  label: 'Node.js',
  note: 'Node 20 or later, with our own library. It works in Express, Hono, Deno, Bun and Workers too: give it the raw body.',
  install: 'npm install @posthorn/receiver',
  file: 'receiver.mjs',
  code: verification.library === 'standard' ? code('standard', STANDARD) : code('service', HEX),
  run: runWith(verification, 'node receiver.mjs'),
})
