import { runWith, type Snippet } from './snippet.ts'
import type { Found, Verification } from './verification.ts'

export const pythonCode = (
  imports: readonly string[],
  check: string,
  seen: string,
) => `${imports.map((name) => `import ${name}`).join('\n')}
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY_BYTES = 1_048_576
${check}

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MAX_BODY_BYTES:
            return self.answer(413)
        # The raw bytes: a body that was parsed and written again does not verify.
        body = self.rfile.read(int(length))
        reason = refusal(self.headers, body)
        if reason:
            print("refused:", reason, flush=True)
            return self.answer(400, reason)
        event = json.loads(body)
        # The same event can come twice: skip those whose id you have seen. Answer first, work later.
        ${seen}
        self.answer(204)

    def answer(self, status, text=""):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())


ThreadingHTTPServer(("", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
`

const STANDARD = `TOLERANCE_SECONDS = 300

# The key is what follows "whsec_", in base64.
KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
if not KEY:
    raise SystemExit("WEBHOOK_SECRET is not a signing secret")


def refusal(headers, body):
    """What is wrong; None when these bytes were signed with the secret, at most 5 minutes ago."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        return "webhook-timestamp is missing or not a number"
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return "webhook-timestamp is more than 5 minutes off"
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.new(KEY, signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # While a secret is being replaced there are two signatures, with a space between them.
    entries = headers.get("webhook-signature", "").split(" ")
    if not any(hmac.compare_digest(expected, entry.encode()) for entry in entries):
        return "no signature matches: check WEBHOOK_SECRET"
`

const hex = (header: string) => `
KEY = os.environ["WEBHOOK_SECRET"].encode()
if not KEY:
    raise SystemExit("WEBHOOK_SECRET is empty")


def refusal(headers, body):
    """What is wrong; None when these bytes were signed with the secret."""
    expected = "sha256=" + hmac.new(KEY, body, hashlib.sha256).hexdigest()
    signature = headers.get("${header}", "")
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        return "the signature does not match: check WEBHOOK_SECRET"
`

const expression = (found: Found): string =>
  found.in === 'header'
    ? `self.headers["${found.name}"]`
    : `event${found.path.map((step) => `["${step}"]`).join('')}`

/** Logs the event. */
export const pythonLog = ({ logged }: Verification): string =>
  `print("verified", ${logged.map(expression).join(', ')}, flush=True)`

export const python = (verification: Verification): Snippet => ({
  language: 'python',
  label: 'Python',
  note: 'Python 3.9 or later, and nothing else. The raw body is request.get_data() in Flask, request.body in Django and await request.body() in FastAPI.',
  install: null,
  file: 'receiver.py',
  code:
    verification.kind === 'standard'
      ? pythonCode(
          ['base64', 'hashlib', 'hmac', 'json', 'os', 're', 'time'],
          STANDARD,
          pythonLog(verification),
        )
      : pythonCode(
          ['hashlib', 'hmac', 'json', 'os', 're'],
          hex(verification.signatureHeader),
          pythonLog(verification),
        ),
  run: runWith(verification, 'python3 receiver.py'),
})
