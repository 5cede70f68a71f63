import { runWith, type Scheme, type Snippet } from './snippet.ts'

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

const parsed = (members: string, seen: string) => `	var event struct {
${members}
	}
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "the body is not an event", http.StatusBadRequest)
		return
	}
	// The same event can come twice: skip those whose id you have seen. Answer first, work later.
	log.Println("verified", ${seen})`

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

const HEX = `
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
	if hmac.Equal([]byte(expected), []byte(header.Get("X-Service-Signature"))) {
		return ""
	}
	return "the signature does not match: check WEBHOOK_SECRET"
}
`

const MEMBERS = `		Type string          \`json:"type"\`
		Data json.RawMessage \`json:"data"\``

const HEX_MEMBERS = `		ID      string          \`json:"id"\`
		Type    string          \`json:"type"\`
		Payload json.RawMessage \`json:"payload"\``

const COMMON = ['crypto/hmac', 'crypto/sha256']

export const go = (scheme: Scheme): Snippet => ({
  language: 'go',
  label: 'Go',
  note: "Go's standard library, and nothing else.",
  install: null,
  file: 'receiver.go',
  code:
    scheme === 'standard'
      ? code(
          [
            ...COMMON,
            'encoding/base64',
            'encoding/json',
            'io',
            'log',
            'net/http',
            'os',
            'strconv',
            'strings',
            'time',
          ],
          STANDARD,
          parsed(MEMBERS, 'r.Header.Get("webhook-id"), event.Type, string(event.Data)'),
        )
      : code(
          [...COMMON, 'encoding/hex', 'encoding/json', 'io', 'log', 'net/http', 'os'],
          HEX,
          parsed(HEX_MEMBERS, 'event.ID, event.Type, string(event.Payload)'),
        ),
  run: runWith(scheme, 'go run receiver.go'),
})
