import type { Profile } from '../profiles/profile.ts'
import { builtInScheme } from './builtInSchemes.ts'
import { AFTERWARDS, RAW } from './code.ts'

/** A receiver in Node.js that leaves the check to a library. */
export interface LibraryProgram {
  readonly id: string
  readonly name: string
  readonly needs: string
  readonly setup: readonly string[]
  readonly code: string
}

const server = (imports: string, receiver: string, verified: string, error: string, reason: string) =>
  `import { createServer } from 'node:http'
${imports}

${receiver}
const MAX_BODY_BYTES = 1_048_576

createServer(async (request, response) => {
  try {
    // ${RAW}
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
    if (!(error instanceof ${error})) {
      console.error(error)
      return response.writeHead(500).end()
    }
    const reason = ${reason}
    console.error('rejected:', reason)
    response.writeHead(400).end(reason)
  }
}).listen(process.env.PORT ?? 3000)
`

/** What the library finds in bodies of the schemes that it has built in. */
const MEMBERS = {
  standard: ['type', 'timestamp', 'data'],
  service: ['id', 'type', 'entityType', 'entityId', 'workspaceId', 'payload', 'occurredAt'],
} as const

/** The scheme of the library whose headers and bodies these are; `null`: it needs the profile. */
function schemeOf(profile: Profile): keyof typeof MEMBERS | null {
  const scheme = builtInScheme(profile)
  if (scheme === null || profile.envelope === 'bare') return null
  const paths = new Set(profile.envelope.map(({ path }) => path))
  return MEMBERS[scheme].every((member) => paths.has(member)) ? scheme : null
}

const LOGGED = {
  standard: ['const { id, event }', 'id, event.type, event.data'],
  service: ['const { event }', 'event.id, event.type, event.payload'],
  profile: ['const { id, type, event }', 'id, type, event.data'],
} as const

/** What `@posthorn/receiver` needs of a profile. What is left out is as in Standard Webhooks. */
function profileForReceivers({ envelope, headers, signatures, secret }: Profile): object {
  const members =
    envelope === 'bare'
      ? null
      : envelope.map(({ path, field, as, constant, otherwise }) => ({
          path,
          ...(field === null ? { constant } : { field }),
          ...(field === 'time' ? { as } : {}),
          ...(otherwise === undefined ? {} : { otherwise }),
        }))
  return {
    profile: 1,
    envelope: members === null ? { bare: true } : { members },
    headers,
    signatures,
    secret,
  }
}

/** @param publicUrl where people reach this Posthorn, which serves the package */
export function posthornReceiver(profile: Profile, publicUrl: string): LibraryProgram | null {
  if (profile.signatures.length === 0) return null
  const scheme = schemeOf(profile)
  const needsPublicKey = profile.signatures.every(({ algorithm }) => algorithm === 'ed25519')
  const [result, logged] = LOGGED[scheme ?? 'profile']
  const receiver =
    scheme === null
      ? `// How requests of this service are written and signed.
const profile = ${JSON.stringify(profileForReceivers(profile), null, 2)}
${needsPublicKey ? '// The public key of the webhook: whpk_…\n' : ''}const receiver = createReceiver({ scheme: profileScheme(profile), secrets: process.env.WEBHOOK_SECRET })`
      : `const receiver = createReceiver({ scheme: '${scheme}', secrets: process.env.WEBHOOK_SECRET })`
  return {
    id: 'node-posthorn',
    name: 'Node.js with @posthorn/receiver',
    needs:
      'Node.js 20 or later. The package has no dependencies, types events, and says precisely what is wrong with a request. It also runs in Deno, Bun and Workers.',
    setup: [`npm install ${publicUrl}/downloads/posthorn-receiver.tgz`],
    code: server(
      `import { createReceiver, WebhookVerificationError } from '@posthorn/receiver'${
        scheme === null ? "\nimport { profileScheme } from '@posthorn/receiver/profile'" : ''
      }`,
      receiver,
      `    ${result} = await receiver.verify(Buffer.concat(chunks), request.headers)
    // ${AFTERWARDS}
    console.log('verified', ${logged})`,
      'WebhookVerificationError',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code of the program
      '`${error.code}: ${error.message}`',
    ),
  }
}

/** For services whose requests follow Standard Webhooks to the letter. */
export function standardwebhooks(profile: Profile): LibraryProgram | null {
  if (builtInScheme(profile) !== 'standard') return null
  return {
    id: 'node-standardwebhooks',
    name: 'Node.js with standardwebhooks',
    needs:
      'Node.js 20 or later. Requests follow Standard Webhooks (https://www.standardwebhooks.com), so the libraries of that project verify them without changes. They exist for other languages too.',
    setup: ['npm install standardwebhooks'],
    code: server(
      "import { Webhook, WebhookVerificationError } from 'standardwebhooks'",
      'const webhook = new Webhook(process.env.WEBHOOK_SECRET)',
      `    const event = webhook.verify(Buffer.concat(chunks).toString(), request.headers)
    // ${AFTERWARDS}
    console.log('verified', request.headers['webhook-id'], event)`,
      'WebhookVerificationError',
      'error.message',
    ),
  }
}
