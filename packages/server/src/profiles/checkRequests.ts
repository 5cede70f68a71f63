import { type Findings, repeats, step } from './findings.ts'
import { valueWithoutEnd } from './headerValues.ts'
import type { Profile, SignatureScheme } from './profile.ts'
import { CONTENT_FIELDS, HEADER_FIELDS } from './requests.ts'
import { isMistake, namesIn, readTemplate } from './templates.ts'

/** Headers that the transport writes itself. */
const TRANSPORT_HEADERS = [
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]
/** Enough for two rotations. */
const MOST_KEY_PAIRS = 4
/** The form of public and private keys in Standard Webhooks. */
const KEY_PREFIXES = ['whpk_', 'whsk_']
const VISIBLE = /^[\t\x20-\x7e]*$/
const NOT_VISIBLE = 'must contain only visible ASCII characters'

/** Checks the headers and signatures of a profile. */
export function checkRequests(profile: Profile, found: Findings): void {
  const { headers, signatures, unsigned } = profile
  const names = Object.keys(headers)
  for (const [i, name] of repeats(names, (one) => one.toLowerCase()))
    found.error(
      `/headers${step(names[i]!)}`,
      `must differ from the other names, regardless of case; ${name} is used twice`,
    )
  let places = 0
  for (const [name, template] of Object.entries(headers)) {
    const pointer = `/headers${step(name)}`
    if (TRANSPORT_HEADERS.includes(name.toLowerCase()))
      found.error(pointer, 'is written by the service itself; choose another name')
    places += namesOf(template, HEADER_FIELDS, pointer, found).filter((one) => one === 'signatures').length
    warnOfUnclearValues(template, signatures, pointer, found)
  }
  for (const [i, scheme] of signatures.entries()) checkSignature(scheme, profile, `/signatures/${i}`, found)
  if (signatures.length === 0 && !unsigned)
    found.error(
      '/signatures',
      'must contain a signature, or anyone can forge these requests; to allow that, set "unsigned": true',
    )
  if (signatures.length > 0 && unsigned)
    found.error('/unsigned', 'must be removed, because the requests are signed')
  if (signatures.length > 0 && places !== 1)
    found.error(
      '/headers',
      `must contain {signatures} exactly once, and ${places === 0 ? 'does not contain it' : `contains it ${places} times`}`,
    )
  if (signatures.length === 0 && places > 0)
    found.error('/headers', 'must not contain {signatures}, because there are none')
  if (KEY_PREFIXES.some((prefix) => profile.secret.prefix.startsWith(prefix)))
    found.error(
      '/secret/prefix',
      `must not begin with ${KEY_PREFIXES.join(' or ')}, which are the prefixes of key pairs; choose another prefix`,
    )
  checkSameValues(signatures, found)
  if (unsigned) found.warning('/unsigned', 'lets anyone forge these requests')
}

/** Warns of a header whose values receivers cannot separate. */
function warnOfUnclearValues(
  template: string,
  signatures: readonly SignatureScheme[],
  pointer: string,
  found: Findings,
): void {
  const parts = readTemplate(template, HEADER_FIELDS)
  const unclear = isMistake(parts) ? null : valueWithoutEnd(parts, signatures)
  if (unclear !== null)
    found.warning(
      pointer,
      `is ambiguous: receivers cannot see where {${unclear}} ends. After it, put a character that it never contains, such as a comma, or use a separate header`,
    )
}

/** A receiver accepts a request by any of its signatures, so the weakest one decides. */
function checkSameValues([first, ...others]: readonly SignatureScheme[], found: Findings): void {
  for (const [i, other] of others.entries()) {
    const pointer = `/signatures/${i + 1}/content`
    const isOfOneKey = other.algorithm === first!.algorithm && other.secret === first!.secret
    if (signedIn(other.content) !== signedIn(first!.content))
      found.error(
        pointer,
        'must sign the same values as the first signature; otherwise an attacker could omit the stronger signature',
      )
    else if (isOfOneKey && withOneTime(other.content) !== withOneTime(first!.content))
      found.error(
        pointer,
        'must equal the content of the first signature, because both use the same key; otherwise an attacker could present one as the other',
      )
  }
}

/** The two forms of the time are equivalent. */
const withOneTime = (content: string) => content.replaceAll('{timestamp:iso}', '{timestamp}')

/** The values in signed content, in canonical order. */
function signedIn(content: string): string {
  const read = readTemplate(content, [...CONTENT_FIELDS, 'body'])
  const names = isMistake(read) ? [] : namesIn(read).map((name) => name.split(':')[0]!)
  return [...new Set(names)].sort().join(' ')
}

/** @returns its placeholders; none if it is invalid */
function namesOf(template: string, allowed: readonly string[], pointer: string, found: Findings): string[] {
  if (!VISIBLE.test(template)) found.error(pointer, NOT_VISIBLE)
  const read = readTemplate(template, allowed)
  if (!isMistake(read)) return namesIn(read)
  found.error(pointer, read.mistake)
  return []
}

function checkSignature(
  scheme: SignatureScheme,
  { headers, secret: shown, signatures }: Profile,
  at: string,
  found: Findings,
): void {
  const { content, each, algorithm, join, most = 1 } = scheme
  const signed = namesOf(content, [...CONTENT_FIELDS, 'body'], `${at}/content`, found)
  if (signed.filter((name) => name === 'body').length !== 1 || !content.endsWith('{body}'))
    found.error(
      `${at}/content`,
      'must end with {body} and contain it once; anything that is not signed can be forged',
    )
  else if (!signed.includes('timestamp') && !signed.includes('timestamp:iso'))
    found.warning(
      `${at}/content`,
      'does not sign {timestamp}, so an attacker could send an old request again',
    )
  warnOfDoubt(content, Object.values(headers), `${at}/content`, found)
  for (const [name, text] of Object.entries({ each, join: join ?? '' }))
    if (!VISIBLE.test(text)) found.error(`${at}/${name}`, NOT_VISIBLE)
  if (each.split('{signature}').length !== 2) found.error(`${at}/each`, 'must contain {signature} once')
  if (join === undefined && (most > 1 || (scheme === signatures[0] && signatures.length > 1)))
    found.error(`${at}/join`, 'is required if a request can have several signatures')
  if (algorithm === 'ed25519') checkKeyPair(scheme, at, found)
  else checkHmacKey(scheme, shown, at, found)
}

/** Warns of signed content that receivers cannot always rebuild from a request. */
function warnOfDoubt(content: string, headers: readonly string[], pointer: string, found: Findings): void {
  const parts = readTemplate(content, [...CONTENT_FIELDS, 'body'])
  if (isMistake(parts)) return
  const shown = headers.flatMap(namesAnywhere)
  for (const [i, part] of parts.entries()) {
    if (typeof part === 'string' || part.name === 'body') continue
    if (!shown.some((name) => name.split(':')[0] === part.name.split(':')[0]))
      found.warning(
        pointer,
        `signs {${part.name}}, which no header contains, so receivers must know it from elsewhere`,
      )
    const next = parts[i + 1]
    if (next === undefined || typeof next === 'string') continue
    // A time ends where an object begins.
    if (next.name === 'body' && part.name.startsWith('timestamp')) continue
    found.warning(
      pointer,
      `is ambiguous: separate {${part.name}} and {${next.name}} with a character that neither contains, such as a dot`,
    )
  }
}

/** The placeholders in a header; none if it is invalid. */
function namesAnywhere(template: string): string[] {
  const parts = readTemplate(template, HEADER_FIELDS)
  return isMistake(parts) ? [] : namesIn(parts)
}

function checkHmacKey(
  { secret }: SignatureScheme,
  { encoding }: Profile['secret'],
  at: string,
  found: Findings,
): void {
  if (secret === undefined)
    found.error(`${at}/secret`, 'is required; it says how the key is derived from the secret')
  if (secret === 'base64-after-prefix' && encoding !== 'base64')
    found.error(`${at}/secret`, `does not match /secret/encoding, which is ${encoding}`)
  if (secret === 'hex' && encoding !== 'hex')
    found.error(`${at}/secret`, `does not match /secret/encoding, which is ${encoding}`)
}

function checkKeyPair({ secret, most = 1 }: SignatureScheme, at: string, found: Findings): void {
  if (secret !== undefined) found.error(`${at}/secret`, 'is only for HMAC; remove it')
  if (most > MOST_KEY_PAIRS)
    found.warning(
      `${at}/most`,
      `should be at most ${MOST_KEY_PAIRS}: one Ed25519 signature takes as long as 40 HMACs`,
    )
}
