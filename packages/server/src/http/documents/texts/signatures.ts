import type { Dialect } from '../../../core/dialect.ts'
import type { EventService, SampleRequest } from '../events/service.ts'
import { sampleSecret } from '../events/signed.ts'
import { section } from './sections.ts'

const RULES: Readonly<Record<EventService['name'], string>> = {
  content: `Requests are signed as [Standard Webhooks](https://www.standardwebhooks.com) says:

1. Take the body as it came, in bytes, before anything parses it.
2. Put \`webhook-id\`, a dot, \`webhook-timestamp\`, a dot and the body together.
3. Make the HMAC-SHA256 of that. The key is what is left of the secret after \`whsec_\`, decoded from base64.
4. \`webhook-signature\` holds \`v1,\` and the base64 of the result, or several of these with a space between while replaced secrets still sign. One match is enough. Compare in constant time.
5. Refuse a \`webhook-timestamp\` that is more than 5 minutes off, so that nobody can send an old request again.

Keep the \`webhook-id\` of what you have taken and skip it when it comes again; order events by \`timestamp\`.`,
  ads: `1. Take the body as it came, in bytes, before anything parses it.
2. Make the HMAC-SHA256 of it. The key is the secret itself, its characters as UTF-8.
3. \`X-Service-Signature\` holds \`sha256=\` and the result in lower-case hex. Compare in constant time.

Keep the \`id\` of what you have taken and skip it when it comes again; order events by \`occurredAt\`. A replaced secret stops signing at once, so accept both while you change over.`,
}

const CODE: Readonly<Record<EventService['name'], string>> = {
  content: `const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
const mac = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest()`,
  ads: `const mac = createHmac('sha256', secret).update(body).digest()`,
}

const SCHEME_NAMES: Readonly<Record<EventService['name'], string>> = { content: 'standard', ads: 'service' }

/** How a receiver tells that a request is genuine, with an example that it can be tried on. */
export function signatures(service: EventService, dialect: Dialect): string {
  const { name } = service
  const sample = service.sample(dialect, smallestType(dialect))
  return section(
    'Verifying signatures',
    'Whoever knows your URL can send requests to it. Take none whose signature you have not verified.',
    RULES[name],
    fenced('js', `import { createHmac } from 'node:crypto'\n\n${CODE[name]}`),
    `The library \`@posthorn/receiver\` does all of this: \`createReceiver({ scheme: '${SCHEME_NAMES[name]}', secrets })\`.`,
    'To try your code, here is a whole request. Every other example in this document is signed under the same secret, over its JSON without any spaces.',
    fenced('http', requestText(sampleSecret(dialect), sample)),
  )
}

function smallestType({ catalog }: Dialect) {
  const size = ({ example }: { readonly example: object }) => JSON.stringify(example).length
  return [...catalog.values()].reduce((least, type) => (size(type) < size(least) ? type : least))
}

const requestText = (secret: string, { headers, body }: SampleRequest) =>
  [
    `# secret: ${secret}`,
    'POST /your/path HTTP/1.1',
    'Content-Type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\n')

const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``
