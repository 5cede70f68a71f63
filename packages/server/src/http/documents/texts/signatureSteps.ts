import type { Profile, SignatureScheme } from '../../../profiles/profile.ts'
import {
  CONTENT_FIELDS,
  HEADER_FIELDS,
  headerShowing,
  signatureHeaderOf,
} from '../../../profiles/requests.ts'
import { namesIn, partsOf } from '../../../profiles/templates.ts'
import { onlyField } from '../events/headers.ts'
import { around, type HeaderField, inWords, isRepeated } from '../events/placeholders.ts'
import { listed } from './sections.ts'

/** How to verify a request by one scheme, as a numbered list. */
export function signatureSteps(profile: Profile, scheme: SignatureScheme): string {
  const { headers } = profile
  const header = signatureHeaderOf(profile)!
  const template = headers[header]!
  const content = partsOf(scheme.content, [...CONTENT_FIELDS, 'body'])
  const isBodyAlone = content.length === 1
  const pieces = content.map((part) =>
    typeof part === 'string' ? inWords(part) : sourceOf(profile, part.name as HeaderField | 'body'),
  )
  const time = namesIn(content).find((name) => name === 'timestamp' || name === 'timestamp:iso')
  const isShown = Object.values(headers).some((one) => time !== undefined && one.includes(`{${time}}`))
  const steps = [
    'Take the raw bytes of the body, before you parse it.',
    ...(onlyField(template) === null
      ? [`\`${header}\` has the form \`${template}\`. ${readFrom(template)}`]
      : []),
    ...(isBodyAlone ? [] : [`Concatenate ${listed(pieces)}.`]),
    computation(profile, scheme, isBodyAlone ? 'it' : 'that'),
    comparison(scheme, onlyField(template) === null ? null : header),
    ...(isShown
      ? [
          `Reject a ${timeName(profile, time as HeaderField)} that differs from the current time by more than 5 minutes, so that old requests cannot be replayed.`,
        ]
      : []),
  ]
  return steps.map((step, index) => `${index + 1}. ${step}`).join('\n')
}

/** What a placeholder of a header is called once it was read out of it. */
const READ: Readonly<Record<HeaderField, string>> = {
  id: 'id of the event',
  timestamp: 'timestamp',
  'timestamp:iso': 'timestamp',
  type: 'event type',
  delivery_id: 'id of the delivery',
  attempt: 'number of the attempt',
  'workspace.slug': 'slug of the workspace',
  webhook_id: 'id of the webhook',
  signatures: 'signatures',
}

const readFrom = (template: string) =>
  `Read the ${listed((namesIn(partsOf(template, HEADER_FIELDS)) as HeaderField[]).map((name) => READ[name]))} from it.`

/** Where receivers find a part of what is signed. */
function sourceOf(profile: Profile, field: HeaderField | 'body'): string {
  if (field === 'body') return 'the body'
  const header = headerShowing(profile, field)
  return header === null ? `the ${READ[field]}` : `\`${header}\``
}

function timeName(profile: Profile, field: HeaderField): string {
  const header = headerShowing(profile, field)
  return header === null ? 'timestamp' : `\`${header}\``
}

const HASHES = { 'hmac-sha256': 'SHA256', 'hmac-sha512': 'SHA512' } as const

function computation(profile: Profile, { algorithm, secret }: SignatureScheme, of: string): string {
  if (algorithm === 'ed25519')
    return `Verify the Ed25519 signature of ${of} with the public key of the webhook.`
  return `Compute the HMAC-${HASHES[algorithm]} of ${of}. ${keyWords(profile, secret)}`
}

function keyWords({ secret: { prefix } }: Profile, form: SignatureScheme['secret']): string {
  const rest = prefix === '' ? 'the secret' : `what is left of the secret after \`${prefix}\``
  if (form === 'base64-after-prefix') return `The key is ${rest}, decoded from base64.`
  if (form === 'hex') return `The key is ${rest}, decoded from hex.`
  return prefix === ''
    ? 'The key is the secret itself, as UTF-8 bytes.'
    : `The key is the whole secret, including \`${prefix}\`, as UTF-8 bytes.`
}

/** @param header `null`: the signatures were read out of a header that holds more */
function comparison(scheme: SignatureScheme, header: string | null): string {
  const { algorithm, encoding } = scheme
  const value = algorithm === 'ed25519' ? 'the signature' : 'the result'
  const written = encoding === 'hex' ? `${value} in lower-case hex` : `the base64 of ${value}`
  const [before, after] = around(scheme)
  const one = listed([
    ...(before === '' ? [] : [`\`${before}\``]),
    written,
    ...(after === '' ? [] : [`\`${after}\``]),
  ])
  const holds = header === null ? `A signature is ${one}` : `\`${header}\` holds ${one}`
  const compare = algorithm === 'ed25519' ? '' : ' Compare in constant time.'
  if (!isRepeated(scheme)) return `${holds}.${compare}`
  const several =
    header === null
      ? `; there can be several, separated by ${inWords(scheme.join!)},`
      : `, or several of these separated by ${inWords(scheme.join!)}`
  return `${holds}${several} while replaced secrets still sign. One match is enough.${compare}`
}
