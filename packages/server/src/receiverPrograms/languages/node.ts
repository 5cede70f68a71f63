import {
  AFTERWARDS,
  camel,
  hasPrefix,
  hasTemplate,
  interpolated,
  keyComment,
  lines,
  memberPath,
  NO_MATCH,
  OLD,
  patternOf,
  RAW,
  SEVERAL,
  singleQuoted,
} from '../code.ts'
import type { Language } from '../language.ts'
import type { Found, Plan, Reading } from '../plan.ts'

const header = (name: string) => `headers[${singleQuoted(name.toLowerCase())}]`

function reading(read: Reading): string {
  const value = header(read.header)
  if (!hasTemplate(read)) {
    const name = camel(read.fields[0]!)
    return lines(
      `  const ${name} = ${value}`,
      `  if (!${name}) return ${singleQuoted(`${read.header} is missing`)}`,
    )
  }
  const names = read.fields.map(camel)
  return lines(
    `  const [, ${names.join(', ')}] = /^${patternOf(read)}$/.exec(${value} ?? '') ?? []`,
    `  if (!${names.at(-1)}) return ${singleQuoted(`${read.header} is missing or malformed`)}`,
  )
}

const SIGNED_AT = { timestamp: 'Number(timestamp)', 'timestamp:iso': 'Date.parse(sentAt) / 1000' }

const escaped = (text: string) => text.replaceAll(/[\\`]|\$(?=\{)/g, '\\$&')

function key(plan: Plan): string {
  const rest = hasPrefix(plan) ? `SECRET.slice(${singleQuoted(plan.secretPrefix)}.length)` : 'SECRET'
  return lines(
    'const SECRET = process.env.WEBHOOK_SECRET',
    "if (!SECRET) throw new Error('WEBHOOK_SECRET is not set')",
    hasPrefix(plan)
      ? `if (!SECRET.startsWith(${singleQuoted(plan.secretPrefix)})) throw new Error(${singleQuoted(`WEBHOOK_SECRET does not start with ${plan.secretPrefix}`)})`
      : null,
    `// ${keyComment(plan)}`,
    plan.key === 'utf8'
      ? 'const KEY = Buffer.from(SECRET)'
      : `const KEY = Buffer.from(${rest}, '${plan.key}')`,
  )
}

function check(plan: Plan): string {
  const { time, signed, hash, encoding, before, after, join } = plan
  const prefix = interpolated(plan, (field) => `\${${camel(field)}}`, escaped)
  const expected = [before, null, after]
    .filter((part) => part !== '')
    .map((part) => (part === null ? 'signature' : singleQuoted(part)))
  return lines(
    '/** Says why a request is rejected; null if it is genuine. */',
    'function rejection(headers, body) {',
    ...plan.readings.map(reading),
    time === null
      ? null
      : lines(
          `  const age = Date.now() / 1000 - ${SIGNED_AT[time]}`,
          '  // Also true if the header is not a time.',
          `  if (!(Math.abs(age) <= TOLERANCE_SECONDS)) return '${OLD}'`,
        ),
    `  const hmac = createHmac('${hash}', KEY)`,
    signed.length === 0 ? null : `  hmac.update(\`${prefix}\`)`,
    `  const signature = hmac.update(body).digest('${encoding}')`,
    `  const expected = Buffer.from(${expected.join(' + ')})`,
    join === null
      ? lines(
          '  const given = Buffer.from(signatures)',
          '  const isGenuine = given.length === expected.length && timingSafeEqual(given, expected)',
          `  return isGenuine ? null : '${NO_MATCH}'`,
        )
      : lines(
          `  // ${SEVERAL}`,
          `  for (const entry of signatures.split(${singleQuoted(join)})) {`,
          '    const given = Buffer.from(entry)',
          '    if (given.length === expected.length && timingSafeEqual(given, expected)) return null',
          '  }',
          `  return '${NO_MATCH}'`,
        ),
    '}',
  )
}

const shown = (found: Found) =>
  found.in === 'header'
    ? `request.${header(found.name)}`
    : memberPath(found, 'event', singleQuoted).replaceAll(/\['([A-Za-z_$][\w$]*)'\]/g, '.$1')

const SERVER = (logged: string) => `createServer(async (request, response) => {
  try {
    // ${RAW}
    const chunks = []
    let length = 0
    for await (const chunk of request) {
      length += chunk.length
      if (length > MAX_BODY_BYTES) return response.writeHead(413).end()
      chunks.push(chunk)
    }
    const body = Buffer.concat(chunks)
    const reason = rejection(request.headers, body)
    if (reason !== null) {
      console.error('rejected:', reason)
      return response.writeHead(400).end(reason)
    }
    const event = JSON.parse(body.toString())
    // ${AFTERWARDS}
    console.log('verified', ${logged})
    response.writeHead(204).end()
  } catch (error) {
    console.error(error)
    response.writeHead(500).end()
  }
}).listen(process.env.PORT ?? 3000)`

export const node: Language = {
  id: 'node',
  name: 'Node.js',
  colors: 'javascript',
  needs: 'You need Node.js 20 or later, and no packages.',
  frameworks:
    'Call `rejection(request.headers, body)`. In Express, use `express.raw({ type: "*/*" })` on the route. The raw body is then in `request.body`. In Fastify, add a content type parser with `parseAs: "buffer"`. In Next.js, pass `Object.fromEntries(request.headers)` and `Buffer.from(await request.arrayBuffer())`.',
  setup: [],
  file: 'receiver.mjs',
  run: 'node receiver.mjs',
  cannot: () => null,
  program: (plan) =>
    `${lines(
      "import { createHmac, timingSafeEqual } from 'node:crypto'",
      "import { createServer } from 'node:http'",
      '',
      'const MAX_BODY_BYTES = 1_048_576',
      plan.time === null ? null : 'const TOLERANCE_SECONDS = 300',
      '',
      key(plan),
      '',
      check(plan),
      '',
      SERVER(plan.logged.map(shown).join(', ')),
    )}\n`,
}
