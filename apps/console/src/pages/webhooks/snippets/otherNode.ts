import { logged, quoted } from './javaScript.ts'
import { type Reading, readingsOf } from './readings.ts'
import { runWith, type Snippet } from './snippet.ts'
import { partsOf } from './templates.ts'
import { HASHES, type Verification } from './verification.ts'

const VARIABLES: Readonly<Record<string, string>> = {
  id: 'eventId',
  timestamp: 'timestamp',
  'timestamp:iso': 'time',
  type: 'eventType',
  delivery_id: 'deliveryId',
  attempt: 'attempt',
  'workspace.slug': 'workspaceSlug',
  webhook_id: 'webhookId',
  signatures: 'signatures',
}

/** When the request was signed, in milliseconds. */
const TIMES: Readonly<Record<string, string>> = {
  timestamp: 'Number(timestamp) * 1_000',
  'timestamp:iso': 'Date.parse(time)',
}

const variable = (field: string): string => VARIABLES[field] ?? field

function reading({ header, fields, pattern }: Reading): string {
  const value = `headers[${quoted(header.toLowerCase())}]`
  const names = fields.map(variable)
  if (pattern === null) {
    return `  const ${names[0]} = ${value}
  if (!${names[0]}) return ${quoted(`${header} is missing`)}`
  }
  return `  const [, ${names.join(', ')}] = /^${pattern}$/.exec(${value} ?? '') ?? []
  if (!${names.at(-1)}) return ${quoted(`${header} is missing or malformed`)}`
}

function key({ scheme, secretPrefix }: Verification): string {
  const from = secretPrefix === '' ? 'SECRET' : `SECRET.slice(${quoted(secretPrefix)}.length)`
  return scheme.secret === 'utf8'
    ? 'Buffer.from(SECRET)'
    : `Buffer.from(${from}, '${scheme.secret === 'hex' ? 'hex' : 'base64'}')`
}

function check(verification: Verification, readings: readonly Reading[]): string {
  const { scheme, join } = verification
  const signed = partsOf(scheme.content).slice(0, -1)
  const time = signed.flatMap((part) => (typeof part === 'string' ? [] : (TIMES[part.name] ?? [])))[0]
  const prefix = signed.map((part) => (typeof part === 'string' ? quoted(part) : variable(part.name)))
  const each = scheme.each
    .split('{signature}')
    .map((text) => partsOf(text).join(''))
    .map((text) => (text === '' ? null : quoted(text)))
  const expected = [each[0], 'signature', each[1]].filter((part) => part != null).join(' + ')
  const lines = [
    ...readings.map(reading),
    ...(time === undefined
      ? []
      : [
          `  const ageMs = Math.abs(Date.now() - ${time})
  // Also refuses what is no time.
  if (!(ageMs <= TOLERANCE_MS)) return 'the timestamp is more than 5 minutes off, or not a time'`,
        ]),
    `  const hmac = createHmac('${HASHES[scheme.algorithm]}', KEY)`,
    ...(prefix.length === 0 ? [] : [`  hmac.update(${prefix.join(' + ')})`]),
    `  const signature = hmac.update(body).digest('${scheme.encoding}')`,
    `  const expected = Buffer.from(${expected})`,
    `  const matches = (given) => given.length === expected.length && timingSafeEqual(given, expected)`,
    join === null
      ? '  if (matches(Buffer.from(signatures))) return null'
      : `  // While a secret is being replaced there may be more than one.
  for (const given of signatures.split(${quoted(join)})) {
    if (matches(Buffer.from(given))) return null
  }`,
    "  return 'no signature matches: check WEBHOOK_SECRET'",
  ]
  return `${time === undefined ? '' : 'const TOLERANCE_MS = 5 * 60_000\n'}const SECRET = process.env.WEBHOOK_SECRET
if (!SECRET) throw new Error('WEBHOOK_SECRET is not set')
const KEY = ${key(verification)}

/** What is wrong; null when these bytes were signed with the secret. */
function refusal(headers, body) {
${lines.join('\n')}
}`
}

/** For any HMAC, without a library. @returns `null` where what was signed is not in the headers */
export function otherNode(verification: Verification): Snippet | null {
  const readings = readingsOf(verification)
  if (readings === null) return null
  return {
    language: 'node',
    label: 'Node.js',
    note: 'Node 20 or later, and nothing else. In frameworks, give it the raw body.',
    install: null,
    file: 'receiver.mjs',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const MAX_BODY_BYTES = 1_048_576
${check(verification, readings)}

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
    const body = Buffer.concat(chunks)
    const reason = refusal(request.headers, body)
    if (reason !== null) {
      console.error('refused:', reason)
      return response.writeHead(400).end(reason)
    }
    const event = JSON.parse(body.toString())
    // The same event can come twice: skip those whose id you have seen. Answer first, work later.
    console.log('verified', ${logged(verification)})
    response.writeHead(204).end()
  } catch (error) {
    console.error(error)
    response.writeHead(500).end()
  }
}).listen(process.env.PORT ?? 3000)
`,
    run: runWith(verification, 'node receiver.mjs'),
  }
}
