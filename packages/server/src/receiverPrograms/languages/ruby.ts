import {
  AFTERWARDS,
  doubleQuoted,
  environmentName,
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
  snake,
} from '../code.ts'
import type { Language } from '../language.ts'
import type { Found, Plan, Reading } from '../plan.ts'

/** Values are put in after a `#`. */
const inString = (text: string) => doubleQuoted(text).slice(1, -1).replaceAll('#', '\\#')
const quoted = (text: string) => (/[#\\]/.test(text) ? singleQuoted(text) : doubleQuoted(text))

function reading(read: Reading): string {
  const value = `env["${environmentName(read.header)}"].to_s`
  const names = read.fields.map(snake).join(', ')
  if (!hasTemplate(read)) {
    return lines(
      `  ${names} = ${value}`,
      `  return ${quoted(`${read.header} is missing`)} if ${names}.empty?`,
      '',
    )
  }
  return lines(
    `  found = ${value}.match(/\\A${patternOf(read)}\\z/)`,
    `  return ${quoted(`${read.header} is missing or malformed`)} unless found`,
    '',
    read.fields.length === 1 ? `  ${names} = found[1]` : `  ${names} = found.captures`,
  )
}

const SIGNED_AT = {
  timestamp: 'Integer(timestamp, 10, exception: false)',
  'timestamp:iso': '(Time.iso8601(sent_at) rescue nil)&.to_i',
}

function key(plan: Plan): string {
  const rest = hasPrefix(plan) ? `SECRET.delete_prefix(${quoted(plan.secretPrefix)})` : 'SECRET'
  const decoded = { utf8: 'SECRET', hex: `[${rest}].pack("H*")`, base64: `${rest}.unpack1("m0")` }
  return lines(
    'SECRET = ENV.fetch("WEBHOOK_SECRET", "")',
    'abort "WEBHOOK_SECRET is not set" if SECRET.empty?',
    hasPrefix(plan)
      ? `abort ${quoted(`WEBHOOK_SECRET does not start with ${plan.secretPrefix}`)} unless SECRET.start_with?(${quoted(plan.secretPrefix)})`
      : null,
    `# ${keyComment(plan)}`,
    `KEY = ${decoded[plan.key]}`,
  )
}

function check(plan: Plan): string {
  const { time, signed, hash, encoding, before, after, join } = plan
  const prefix = interpolated(plan, (field) => `#{${snake(field)}}`, inString)
  const content = signed.length === 0 ? 'body' : `"${prefix}".b + body`
  const digest = hash.toUpperCase()
  const signature =
    encoding === 'hex'
      ? `OpenSSL::HMAC.hexdigest("${digest}", KEY, ${content})`
      : `[OpenSSL::HMAC.digest("${digest}", KEY, ${content})].pack("m0")`
  const expected = [before, null, after]
    .filter((part) => part !== '')
    .map((part) => (part === null ? 'signature' : quoted(part)))
  return lines(
    '# Says why a request is rejected; nil if it is genuine.',
    'def rejection(env, body)',
    ...plan.readings.map(reading),
    time === null
      ? null
      : lines(
          `  signed_at = ${SIGNED_AT[time]}`,
          '  return "the timestamp is not a time" if signed_at.nil?',
          `  return "${OLD}" if (Time.now.to_i - signed_at).abs > TOLERANCE_SECONDS`,
          '',
        ),
    `  signature = ${signature}`,
    `  expected = ${expected.join(' + ')}`,
    join === null
      ? '  return if OpenSSL.secure_compare(expected, signatures)'
      : lines(
          `  # ${SEVERAL}`,
          `  given = signatures.split(${quoted(join)})`,
          '  return if given.any? { |entry| OpenSSL.secure_compare(expected, entry) }',
        ),
    '',
    `  "${NO_MATCH}"`,
    'end',
  )
}

const shown = (found: Found) =>
  found.in === 'header' ? `env["${environmentName(found.name)}"]` : memberPath(found, 'event', quoted)

const APPLICATION = (logged: string) => `run lambda { |env|
  # ${RAW}
  body = env["rack.input"].read(MAX_BODY_BYTES + 1).to_s.b
  next [413, {}, []] if body.bytesize > MAX_BODY_BYTES

  reason = rejection(env, body)
  if reason
    warn "rejected: #{reason}"
    next [400, {}, [reason]]
  end

  event = JSON.parse(body)
  # ${AFTERWARDS}
  puts "verified ${logged}"
  [204, {}, []]
}`

export const ruby: Language = {
  id: 'ruby',
  name: 'Ruby',
  colors: 'ruby',
  needs:
    'Ruby 3.0 or later. The check needs no gems. Ruby has no HTTP server of its own, so this is a Rack application; here Puma runs it.',
  frameworks:
    'Call `rejection(request.env, body)`. The raw body is `request.raw_post` in Rails and `request.body.read` in Sinatra.',
  setup: ['gem install puma'],
  file: 'receiver.ru',
  run: 'puma --port 3000 receiver.ru',
  cannot: () => null,
  program: (plan) =>
    `${lines(
      'require "json"',
      'require "openssl"',
      plan.time === 'timestamp:iso' ? 'require "time"' : null,
      '',
      '$stdout.sync = true',
      'MAX_BODY_BYTES = 1_048_576',
      plan.time === null ? null : 'TOLERANCE_SECONDS = 300',
      '',
      key(plan),
      '',
      check(plan),
      '',
      APPLICATION(plan.logged.map((found) => `#{${shown(found)}}`).join(' ')),
    )}\n`,
}
