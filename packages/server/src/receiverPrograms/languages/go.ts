import {
  AFTERWARDS,
  camel,
  doubleQuoted,
  hasPrefix,
  hasTemplate,
  keyComment,
  lines,
  NO_MATCH,
  OLD,
  patternOf,
  RAW,
  SEVERAL,
  sum,
} from '../code.ts'
import type { Language } from '../language.ts'
import type { Field, Plan, Reading } from '../plan.ts'

const variable = (field: Field) => camel(field).replace(/Id$/, 'ID')

/** Patterns are compiled once, when the program starts. */
const patternName = ({ fields }: Reading) => `${variable(fields[0]!)}Pattern`

function reading(read: Reading): string {
  const value = `header.Get(${doubleQuoted(read.header)})`
  if (!hasTemplate(read)) {
    const name = variable(read.fields[0]!)
    return lines(
      `\t${name} := ${value}`,
      `\tif ${name} == "" {`,
      `\t\treturn ${doubleQuoted(`${read.header} is missing`)}`,
      '\t}',
    )
  }
  const names = read.fields.map(variable)
  const found = `${names[0]}Match`
  return lines(
    `\t${found} := ${patternName(read)}.FindStringSubmatch(${value})`,
    `\tif ${found} == nil {`,
    `\t\treturn ${doubleQuoted(`${read.header} is missing or malformed`)}`,
    '\t}',
    `\t${names.join(', ')} := ${names.map((_, i) => `${found}[${i + 1}]`).join(', ')}`,
  )
}

const SIGNED_AT = {
  timestamp: lines(
    '\tseconds, err := strconv.ParseInt(timestamp, 10, 64)',
    '\tif err != nil {',
    '\t\treturn "the timestamp is not a number"',
    '\t}',
    '\tage := time.Since(time.Unix(seconds, 0))',
  ),
  'timestamp:iso': lines(
    '\tsigned, err := time.Parse(time.RFC3339, sentAt)',
    '\tif err != nil {',
    '\t\treturn "the timestamp is not a time"',
    '\t}',
    '\tage := time.Since(signed)',
  ),
}

function key(plan: Plan): string {
  const decoded = {
    utf8: '[]byte(secret), error(nil)',
    hex: 'hex.DecodeString(secret)',
    base64: 'base64.StdEncoding.DecodeString(secret)',
  }
  const start = [
    'func signingKey() []byte {',
    '\tsecret := os.Getenv("WEBHOOK_SECRET")',
    ...(hasPrefix(plan)
      ? [
          `\tif !strings.HasPrefix(secret, ${doubleQuoted(plan.secretPrefix)}) {`,
          `\t\tlog.Fatal(${doubleQuoted(`WEBHOOK_SECRET is not set, or does not start with ${plan.secretPrefix}`)})`,
          '\t}',
          `\tsecret = strings.TrimPrefix(secret, ${doubleQuoted(plan.secretPrefix)})`,
        ]
      : []),
  ]
  const rest =
    plan.key === 'utf8'
      ? [
          '\tif secret == "" {',
          '\t\tlog.Fatal("WEBHOOK_SECRET is not set")',
          '\t}',
          '\treturn []byte(secret)',
          '}',
        ]
      : [
          `\tkey, err := ${decoded[plan.key]}`,
          '\tif err != nil || len(key) == 0 {',
          '\t\tlog.Fatal("WEBHOOK_SECRET is not a signing secret")',
          '\t}',
          '\treturn key',
          '}',
        ]
  return lines(`// ${keyComment(plan)}`, ...start, ...rest)
}

function check(plan: Plan): string {
  const { time, signed, hash, encoding, before, after, join } = plan
  const signature =
    encoding === 'hex'
      ? 'hex.EncodeToString(mac.Sum(nil))'
      : 'base64.StdEncoding.EncodeToString(mac.Sum(nil))'
  const expected = [before, null, after]
    .filter((part) => part !== '')
    .map((part) => (part === null ? signature : doubleQuoted(part)))
  return lines(
    '// rejection says why a request is rejected; "" if it is genuine.',
    'func rejection(header http.Header, body []byte) string {',
    ...plan.readings.map(reading),
    time === null
      ? null
      : lines(SIGNED_AT[time], '\tif age.Abs() > tolerance {', `\t\treturn "${OLD}"`, '\t}'),
    `\tmac := hmac.New(${hash === 'sha256' ? 'sha256.New' : 'sha512.New'}, key)`,
    signed.length === 0 ? null : `\tmac.Write([]byte(${sum(plan, variable, doubleQuoted)}))`,
    '\tmac.Write(body)',
    `\texpected := ${expected.join(' + ')}`,
    join === null
      ? lines('\tif hmac.Equal([]byte(expected), []byte(signatures)) {', '\t\treturn ""', '\t}')
      : lines(
          `\t// ${SEVERAL}`,
          `\tfor _, entry := range strings.Split(signatures, ${doubleQuoted(join)}) {`,
          '\t\tif hmac.Equal([]byte(expected), []byte(entry)) {',
          '\t\t\treturn ""',
          '\t\t}',
          '\t}',
        ),
    `\treturn "${NO_MATCH}"`,
    '}',
  )
}

/** A member of the body, as a field of a struct. */
interface Member {
  readonly json: string
  readonly name: string
  readonly type: 'string' | 'json.RawMessage'
}

const memberName = (member: string) =>
  member
    .split(/[^A-Za-z0-9]/)
    .filter((word) => word !== '')
    .map((word) => (word === 'id' ? 'ID' : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')

/** The members that are logged, of which the data is last; `null`: they are not all beside each other. */
function membersOf({ logged }: Plan): readonly Member[] | null {
  const paths = logged.flatMap((found) => (found.in === 'body' ? [found.path] : []))
  if (paths.some(([name = '', ...deeper]) => deeper.length > 0 || !/^[A-Za-z][\w-]*$/.test(name))) return null
  return paths.map(([json = ''], i) => ({
    json,
    name: memberName(json),
    type: i === paths.length - 1 ? 'json.RawMessage' : 'string',
  }))
}

function log({ logged }: Plan, members: readonly Member[] | null): string {
  const headers = logged.flatMap((found) => (found.in === 'header' ? [`r.Header.Get("${found.name}")`] : []))
  const end = (values: readonly string[]) =>
    lines(`\t// ${AFTERWARDS}`, `\tlog.Println("verified", ${values.join(', ')})`)
  if (members === null) return end([...headers, 'string(body)'])
  const width = (key: 'name' | 'type') => Math.max(...members.map((member) => member[key].length))
  const [names, types] = [width('name'), width('type')]
  return lines(
    '\tvar event struct {',
    ...members.map(
      ({ json, name, type }) => `\t\t${name.padEnd(names)} ${type.padEnd(types)} \`json:"${json}"\``,
    ),
    '\t}',
    '\tif err := json.Unmarshal(body, &event); err != nil {',
    '\t\thttp.Error(w, "the body is not an event", http.StatusBadRequest)',
    '\t\treturn',
    '\t}',
    end([
      ...headers,
      ...members.map(({ name, type }) => (type === 'string' ? `event.${name}` : `string(event.${name})`)),
    ]),
  )
}

function importsOf(plan: Plan, parses: boolean): readonly string[] {
  const { encoding, key: form, time, join } = plan
  return [
    'crypto/hmac',
    `crypto/${plan.hash}`,
    ...(encoding === 'base64' || form === 'base64' ? ['encoding/base64'] : []),
    ...(encoding === 'hex' || form === 'hex' ? ['encoding/hex'] : []),
    ...(parses ? ['encoding/json'] : []),
    ...['io', 'log', 'net/http', 'os'],
    ...(plan.readings.some(hasTemplate) ? ['regexp'] : []),
    ...(time === 'timestamp' ? ['strconv'] : []),
    ...(join !== null || hasPrefix(plan) ? ['strings'] : []),
    ...(time === null ? [] : ['time']),
  ]
}

const SERVER = (seen: string) => `func receive(w http.ResponseWriter, r *http.Request) {
	// ${RAW}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if reason := rejection(r.Header, body); reason != "" {
		log.Println("rejected:", reason)
		http.Error(w, reason, http.StatusBadRequest)
		return
	}
${seen}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	log.Fatal(http.ListenAndServe(":"+port, http.HandlerFunc(receive)))
}`

function program(plan: Plan): string {
  const members = membersOf(plan)
  const patterns = plan.readings
    .filter(hasTemplate)
    .map((read) => `var ${patternName(read)} = regexp.MustCompile(${doubleQuoted(`^${patternOf(read)}$`)})`)
  return `${lines(
    'package main',
    '',
    'import (',
    ...importsOf(plan, members !== null).map((name) => `\t"${name}"`),
    ')',
    '',
    'const maxBodyBytes = 1 << 20',
    ...(plan.time === null ? [] : ['const tolerance = 5 * time.Minute']),
    '',
    'var key = signingKey()',
    ...patterns,
    '',
    key(plan),
    '',
    check(plan),
    '',
    SERVER(log(plan, members)),
  )}\n`
}

export const go: Language = {
  id: 'go',
  name: 'Go',
  colors: 'go',
  needs: 'You need Go 1.19 or later, and no modules.',
  frameworks:
    'In Gin and Echo, call `rejection(request.Header, body)`, where `body` is what `io.ReadAll` reads from `request.Body`. Read it before the framework does.',
  setup: [],
  file: 'receiver.go',
  run: 'go run receiver.go',
  cannot: () => null,
  program,
}
