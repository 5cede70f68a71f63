import { capitalized } from '../../../model/words.ts'
import { runWith, type Snippet } from './snippet.ts'
import type { Verification } from './verification.ts'

const code = (imports: readonly string[], check: string, seen: string) => `package main

import (
${imports.map((name) => `\t"${name}"`).join('\n')}
)

const maxBodyBytes = 1 << 20
${check}
func receive(w http.ResponseWriter, r *http.Request) {
	// The raw bytes: a body that was parsed and written again does not verify.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if reason := refusal(r.Header, body); reason != "" {
		log.Println("refused:", reason)
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
}
`

const STANDARD = `const tolerance = 5 * time.Minute

var key = signingKey()

// The key is what follows "whsec_", in base64.
func signingKey() []byte {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal("WEBHOOK_SECRET is not a signing secret")
	}
	return key
}

// refusal tells what is wrong; "" when these bytes were signed with the secret, at most 5 minutes ago.
func refusal(header http.Header, body []byte) string {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return "webhook-timestamp is missing or not a number"
	}
	if time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return "webhook-timestamp is more than 5 minutes off"
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// While a secret is being replaced there are two signatures, with a space between them.
	for _, entry := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal(expected, []byte(entry)) {
			return ""
		}
	}
	return "no signature matches: check WEBHOOK_SECRET"
}
`

const hex = (header: string) => `
var key = signingKey()

func signingKey() []byte {
	key := os.Getenv("WEBHOOK_SECRET")
	if key == "" {
		log.Fatal("WEBHOOK_SECRET is not set")
	}
	return []byte(key)
}

// refusal tells what is wrong; "" when these bytes were signed with the secret.
func refusal(header http.Header, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	expected := "sha256=" + hex.EncodeToString(mac.Sum(nil))
	if hmac.Equal([]byte(expected), []byte(header.Get("${header}"))) {
		return ""
	}
	return "the signature does not match: check WEBHOOK_SECRET"
}
`

const PARSED = 'encoding/json'

const STANDARD_IMPORTS = ['encoding/base64', 'io', 'log', 'net/http', 'os', 'strconv', 'strings', 'time']
const HEX_IMPORTS = ['encoding/hex', 'io', 'log', 'net/http', 'os']

/** A member of the body, as a field of a struct. */
interface Field {
  readonly member: string
  readonly name: string
  readonly type: 'string' | 'json.RawMessage'
}

/** The members that are logged, of which the data is last; `null`: they are not all beside each other. */
function fieldsOf({ logged }: Verification): readonly Field[] | null {
  const paths = logged.flatMap((found) => (found.in === 'body' ? [found.path] : []))
  if (paths.some(({ length }) => length !== 1)) return null
  return paths.map(([member = ''], i) => ({
    member,
    name: fieldName(member),
    type: i === paths.length - 1 ? 'json.RawMessage' : 'string',
  }))
}

const fieldName = (member: string): string =>
  member
    .split('_')
    .map((word) => (word === 'id' ? 'ID' : capitalized(word)))
    .join('')

function seen(verification: Verification, fields: readonly Field[] | null): string {
  const { logged } = verification
  const headers = logged.flatMap((found) => (found.in === 'header' ? [`r.Header.Get("${found.name}")`] : []))
  if (fields === null) return log([...headers, 'string(body)'])
  const width = (key: 'name' | 'type') => Math.max(...fields.map((field) => field[key].length))
  const [names, types] = [width('name'), width('type')]
  const members = fields.map(
    ({ member, name, type }) => `\t\t${name.padEnd(names)} ${type.padEnd(types)} \`json:"${member}"\``,
  )
  const values = fields.map(({ name, type }) =>
    type === 'string' ? `event.${name}` : `string(event.${name})`,
  )
  return `	var event struct {
${members.join('\n')}
	}
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "the body is not an event", http.StatusBadRequest)
		return
	}
${log([...headers, ...values])}`
}

const log = (values: readonly string[]) =>
  `	// The same event can come twice: skip those whose id you have seen. Answer first, work later.
	log.Println("verified", ${values.join(', ')})`

export function go(verification: Verification): Snippet {
  const isStandard = verification.kind === 'standard'
  const fields = fieldsOf(verification)
  const imports = [
    'crypto/hmac',
    'crypto/sha256',
    ...(isStandard ? STANDARD_IMPORTS : HEX_IMPORTS),
    ...(fields === null ? [] : [PARSED]),
  ]
  const check = isStandard ? STANDARD : hex(verification.signatureHeader)
  return {
    language: 'go',
    label: 'Go',
    note: "Go's standard library, and nothing else.",
    install: null,
    file: 'receiver.go',
    code: code(imports.sort(), check, seen(verification, fields)),
    run: runWith(verification, 'go run receiver.go'),
  }
}
