import { environmentName, runWith, type Snippet } from './snippet.ts'
import type { Found, Verification } from './verification.ts'

const code = (check: string, seen: string) => `require "json"
require "openssl"

MAX_BODY_BYTES = 1_048_576
${check}
run lambda { |env|
  # The raw bytes: a body that was parsed and written again does not verify.
  body = env["rack.input"].read(MAX_BODY_BYTES + 1).to_s.b
  next [413, {}, []] if body.bytesize > MAX_BODY_BYTES
  if (reason = refusal(env, body))
    warn "refused: #{reason}"
    next [400, {}, [reason]]
  end

  event = JSON.parse(body)
  # The same event can come twice: skip those whose id you have seen. Answer first, work later.
  puts ${seen}
  [204, {}, []]
}
`

const STANDARD = `TOLERANCE_SECONDS = 300

# The key is what follows "whsec_", in base64.
KEY = ENV.fetch("WEBHOOK_SECRET").delete_prefix("whsec_").unpack1("m0")
abort "WEBHOOK_SECRET is not a signing secret" if KEY.empty?

# What is wrong; nil when these bytes were signed with the secret, at most 5 minutes ago.
def refusal(env, body)
  timestamp = env["HTTP_WEBHOOK_TIMESTAMP"].to_s
  return "webhook-timestamp is missing or not a number" unless timestamp.match?(/\\A[0-9]{1,12}\\z/)
  return "webhook-timestamp is more than 5 minutes off" if (Time.now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

  signed = "#{env["HTTP_WEBHOOK_ID"]}.#{timestamp}.".b + body
  expected = "v1," + [OpenSSL::HMAC.digest("SHA256", KEY, signed)].pack("m0")
  # While a secret is being replaced there are two signatures, with a space between them.
  entries = env["HTTP_WEBHOOK_SIGNATURE"].to_s.split(" ")
  return if entries.any? { |entry| OpenSSL.secure_compare(expected, entry) }

  "no signature matches: check WEBHOOK_SECRET"
end
`

const hex = (header: string) => `
KEY = ENV.fetch("WEBHOOK_SECRET")
abort "WEBHOOK_SECRET is empty" if KEY.empty?

# What is wrong; nil when these bytes were signed with the secret.
def refusal(env, body)
  expected = "sha256=" + OpenSSL::HMAC.hexdigest("SHA256", KEY, body)
  return if OpenSSL.secure_compare(expected, env["${environmentName(header)}"].to_s)

  "the signature does not match: check WEBHOOK_SECRET"
end
`

const expression = (found: Found): string =>
  found.in === 'header'
    ? `env["${environmentName(found.name)}"]`
    : `event${found.path.map((step) => `["${step}"]`).join('')}`

export const ruby = (verification: Verification): Snippet => ({
  language: 'ruby',
  label: 'Ruby',
  note: 'Ruby 3.0 or later, as a Rack application. In Rails the raw body is request.raw_post, and headers are in request.env.',
  install: 'gem install rackup puma',
  file: 'receiver.ru',
  code: code(
    verification.kind === 'standard' ? STANDARD : hex(verification.signatureHeader),
    `"verified ${verification.logged.map((found) => `#{${expression(found)}}`).join(' ')}"`,
  ),
  run: runWith(verification, 'rackup --port 3000 receiver.ru'),
})
