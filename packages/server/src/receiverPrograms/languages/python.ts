import {
  AFTERWARDS,
  doubleQuoted,
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
  snake,
} from '../code.ts'
import type { Language } from '../language.ts'
import type { Found, Plan, Reading } from '../plan.ts'

function reading(read: Reading): string {
  const value = `headers.get(${doubleQuoted(read.header)}, "")`
  const names = read.fields.map(snake).join(', ')
  if (!hasTemplate(read)) {
    return lines(
      `    ${names} = ${value}`,
      `    if not ${names}:`,
      `        return ${doubleQuoted(`${read.header} is missing`)}`,
    )
  }
  return lines(
    `    found = re.fullmatch(${doubleQuoted(patternOf(read))}, ${value})`,
    '    if not found:',
    `        return ${doubleQuoted(`${read.header} is missing or malformed`)}`,
    read.fields.length === 1 ? `    ${names} = found[1]` : `    ${names} = found.groups()`,
  )
}

const SIGNED_AT = {
  timestamp: 'int(timestamp)',
  'timestamp:iso': 'datetime.datetime.fromisoformat(sent_at.replace("Z", "+00:00")).timestamp()',
}

function key(plan: Plan): string {
  const rest = hasPrefix(plan) ? `SECRET.removeprefix(${doubleQuoted(plan.secretPrefix)})` : 'SECRET'
  const decoded = {
    utf8: 'SECRET.encode()',
    hex: `bytes.fromhex(${rest})`,
    base64: `base64.b64decode(${rest})`,
  }
  return lines(
    'SECRET = os.environ.get("WEBHOOK_SECRET", "")',
    hasPrefix(plan)
      ? lines(
          `if not SECRET.startswith(${doubleQuoted(plan.secretPrefix)}):`,
          `    raise SystemExit(${doubleQuoted(`WEBHOOK_SECRET is not set, or does not start with ${plan.secretPrefix}`)})`,
        )
      : lines('if not SECRET:', '    raise SystemExit("WEBHOOK_SECRET is not set")'),
    `# ${keyComment(plan)}`,
    `KEY = ${decoded[plan.key]}`,
  )
}

const inFString = (text: string) => doubleQuoted(text).slice(1, -1).replaceAll(/[{}]/g, '$&$&')

function check(plan: Plan): string {
  const { time, signed, hash, encoding, before, after, join } = plan
  const prefix = interpolated(plan, (field) => `{${snake(field)}}`, inFString)
  const content = signed.length === 0 ? 'body' : `f"${prefix}".encode() + body`
  const expected = [before, null, after]
    .filter((part) => part !== '')
    .map((part) => (part === null ? 'signature' : doubleQuoted(part)))
  return lines(
    'def rejection(headers, body):',
    '    """Say why a request is rejected; None if it is genuine."""',
    ...plan.readings.map(reading),
    time === null
      ? null
      : lines(
          '    try:',
          `        age = abs(time.time() - ${SIGNED_AT[time]})`,
          '    except (ValueError, OverflowError):',
          '        return "the timestamp is not a time"',
          '    if age > TOLERANCE_SECONDS:',
          `        return "${OLD}"`,
        ),
    `    digest = hmac.new(KEY, ${content}, hashlib.${hash})`,
    encoding === 'hex'
      ? '    signature = digest.hexdigest()'
      : '    signature = base64.b64encode(digest.digest()).decode()',
    `    expected = ${expected.join(' + ')}`,
    join === null
      ? '    if not hmac.compare_digest(expected.encode(), signatures.encode()):'
      : lines(
          `    # ${SEVERAL}`,
          `    given = signatures.split(${doubleQuoted(join)})`,
          '    if not any(hmac.compare_digest(expected.encode(), entry.encode()) for entry in given):',
        ),
    `        return "${NO_MATCH}"`,
    '    return None',
  )
}

const shown = (found: Found) =>
  found.in === 'header'
    ? `self.headers[${doubleQuoted(found.name)}]`
    : memberPath(found, 'event', doubleQuoted)

const SERVER = (logged: string) => `class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MAX_BODY_BYTES:
            return self.answer(413)
        # ${RAW}
        body = self.rfile.read(int(length))
        reason = rejection(self.headers, body)
        if reason is not None:
            print("rejected:", reason, flush=True)
            return self.answer(400, reason)
        event = json.loads(body)
        # ${AFTERWARDS}
        print("verified", ${logged}, flush=True)
        self.answer(204)

    def answer(self, status, text=""):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())


ThreadingHTTPServer(("", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()`

const importsOf = ({ encoding, key: form, time }: Plan) => [
  ...(encoding === 'base64' || form === 'base64' ? ['base64'] : []),
  ...(time === 'timestamp:iso' ? ['datetime'] : []),
  ...['hashlib', 'hmac', 'json', 'os', 're'],
  ...(time === null ? [] : ['time']),
]

export const python: Language = {
  id: 'python',
  name: 'Python',
  colors: 'python',
  needs: 'You need Python 3.9 or later, and no packages.',
  frameworks:
    'Call `rejection(request.headers, body)`. The raw body is `request.get_data()` in Flask, `request.body` in Django and `await request.body()` in FastAPI.',
  setup: [],
  file: 'receiver.py',
  run: 'python3 receiver.py',
  cannot: () => null,
  program: (plan) =>
    `${lines(
      ...importsOf(plan).map((name) => `import ${name}`),
      'from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer',
      '',
      'MAX_BODY_BYTES = 1_048_576',
      plan.time === null ? null : 'TOLERANCE_SECONDS = 300',
      '',
      key(plan),
      '',
      '',
      check(plan),
      '',
      '',
      SERVER(plan.logged.map(shown).join(', ')),
    )}\n`,
}
