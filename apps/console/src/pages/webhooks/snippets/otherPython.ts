import { pythonCode, pythonLog } from './python.ts'
import { type Reading, readingsOf } from './readings.ts'
import { runWith, type Snippet } from './snippet.ts'
import { partsOf } from './templates.ts'
import { HASHES, type Verification } from './verification.ts'

const VARIABLES: Readonly<Record<string, string>> = {
  id: 'event_id',
  timestamp: 'timestamp',
  'timestamp:iso': 'iso_time',
  type: 'event_type',
  'workspace.slug': 'workspace_slug',
}

/** When the request was signed, in seconds. */
const TIMES: Readonly<Record<string, string>> = {
  timestamp: 'int(timestamp)',
  'timestamp:iso': 'datetime.datetime.fromisoformat(iso_time.replace("Z", "+00:00")).timestamp()',
}

const variable = (field: string): string => VARIABLES[field] ?? field
/** Templates hold visible ASCII characters alone, which both languages write alike. */
const quoted = (text: string): string => JSON.stringify(text)

function reading({ header, fields, pattern }: Reading): string {
  const value = `headers.get(${quoted(header)}, "")`
  const names = fields.map(variable).join(', ')
  if (pattern === null) {
    return `    ${names} = ${value}
    if not ${names}:
        return ${quoted(`${header} is missing`)}`
  }
  return `    found = re.fullmatch(${quoted(pattern)}, ${value})
    if not found:
        return ${quoted(`${header} is missing or malformed`)}
    ${fields.length === 1 ? `${names} = found[1]` : `${names} = found.groups()`}`
}

function key({ scheme, secretPrefix }: Verification): string {
  const encoded = secretPrefix === '' ? 'SECRET' : `SECRET.removeprefix(${quoted(secretPrefix)})`
  if (scheme.secret === 'utf8') return 'SECRET.encode()'
  return scheme.secret === 'hex' ? `bytes.fromhex(${encoded})` : `base64.b64decode(${encoded})`
}

function check(verification: Verification, readings: readonly Reading[], time: string | null): string {
  const { scheme, join } = verification
  const prefix = partsOf(scheme.content)
    .slice(0, -1)
    .map((part) => (typeof part === 'string' ? quoted(part) : variable(part.name)))
  const signed = prefix.length === 0 ? 'body' : `(${prefix.join(' + ')}).encode() + body`
  const digest = `hmac.new(KEY, ${signed}, hashlib.${HASHES[scheme.algorithm]})`
  const signature =
    scheme.encoding === 'hex' ? `${digest}.hexdigest()` : `base64.b64encode(${digest}.digest()).decode()`
  const [before, after] = scheme.each.split('{signature}').map((text) => partsOf(text).join(''))
  const expected = [before, null, after]
    .filter((part) => part !== '')
    .map((part) => (part == null ? 'signature' : quoted(part)))
  const lines = [
    ...readings.map(reading),
    ...(time === null
      ? []
      : [
          `    try:
        age = abs(time.time() - ${time})
    except (ValueError, OverflowError):
        return "the timestamp is not a time"
    if age > TOLERANCE_SECONDS:
        return "the timestamp is more than 5 minutes off"`,
        ]),
    `    signature = ${signature}
    expected = ${expected.join(' + ')}`,
    join === null
      ? '    if not hmac.compare_digest(expected.encode(), signatures.encode()):'
      : `    # While a secret is being replaced there may be more than one.
    given = signatures.split(${quoted(join)})
    if not any(hmac.compare_digest(expected.encode(), entry.encode()) for entry in given):`,
    '        return "no signature matches: check WEBHOOK_SECRET"',
  ]
  return `${time === null ? '' : 'TOLERANCE_SECONDS = 300\n'}
SECRET = os.environ["WEBHOOK_SECRET"]
KEY = ${key(verification)}
if not KEY:
    raise SystemExit("WEBHOOK_SECRET is empty")


def refusal(headers, body):
    """What is wrong; None when these bytes were signed with the secret."""
${lines.join('\n')}
`
}

/** For any HMAC, without a library. @returns `null` where what was signed is not in the headers */
export function otherPython(verification: Verification): Snippet | null {
  const readings = readingsOf(verification)
  if (readings === null) return null
  const { scheme } = verification
  const names = partsOf(scheme.content).flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
  const time = names.flatMap((name) => TIMES[name] ?? [])[0] ?? null
  const imports = [
    ...(scheme.encoding === 'base64' || scheme.secret === 'base64-after-prefix' ? ['base64'] : []),
    ...(names.includes('timestamp:iso') ? ['datetime'] : []),
    ...['hashlib', 'hmac', 'json', 'os', 're'],
    ...(time === null ? [] : ['time']),
  ]
  return {
    language: 'python',
    label: 'Python',
    note: 'Python 3.9 or later, and nothing else. The raw body is request.get_data() in Flask, request.body in Django and await request.body() in FastAPI.',
    install: null,
    file: 'receiver.py',
    code: pythonCode(imports, check(verification, readings, time), pythonLog(verification)),
    run: runWith(verification, 'python3 receiver.py'),
  }
}
