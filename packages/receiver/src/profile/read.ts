import { STANDARD } from './builtIn.ts'
import { JsonNode } from './json.ts'
import {
  ALGORITHMS,
  type EnvelopeMember,
  FIELDS,
  PRIVATE_KEY_PREFIX,
  type ProfileParts,
  PUBLIC_KEY_PREFIX,
  SECRET_FORMS,
  type SecretFormName,
  type SignatureParts,
  TIME_FORMS,
} from './parts.ts'
import { aroundSignature, isMistake, namesIn, readTemplate } from './template.ts'

const HEADER_NAME = /^[A-Za-z][A-Za-z0-9-]{0,63}$/
const VISIBLE = /^[\t\x20-\x7e]*$/
const MEMBER_PATH = /^[A-Za-z_][A-Za-z0-9_]{0,63}(?:\.[A-Za-z_][A-Za-z0-9_]{0,63}){0,3}$/
const SIGNATURE_MEMBERS = ['content', 'algorithm', 'encoding', 'secret', 'each', 'join', 'most']
const MAX_MEMBERS = 40
const KEY_PAIR_PREFIXES = [PUBLIC_KEY_PREFIX, PRIVATE_KEY_PREFIX]

/**
 * Reads what a receiver needs of a profile, and fills in what is left out.
 *
 * @throws {ReceiverConfigurationError} `profile_invalid`, with the place of the mistake.
 */
export function readProfile(document: unknown): ProfileParts {
  const root = new JsonNode(document, '')
  if (typeof document === 'string')
    throw root.error('must be an object; parse the text with JSON.parse first')
  root.required('profile').count(1, 1)
  const signatures = readSignatures(root)
  return {
    headers: readHeaderTemplates(root, signatures.length > 0),
    signatures,
    secret: { prefix: readSecretPrefix(root) },
    envelope: readEnvelope(root),
  }
}

function readSecretPrefix(root: JsonNode): string {
  const node = root.member('secret')?.member('prefix')
  if (node === undefined) return STANDARD.secret.prefix
  const prefix = node.text(16)
  const taken = KEY_PAIR_PREFIXES.find((one) => prefix.startsWith(one))
  if (taken === undefined) return prefix
  throw node.error(
    `must not begin with ${taken}, which is the prefix of a key pair; use another prefix, such as whsec_`,
  )
}

function readHeaderTemplates(root: JsonNode, isSigned: boolean): ProfileParts['headers'] {
  const node = root.member('headers')
  if (node === undefined && isSigned) return STANDARD.headers
  const written = node ?? new JsonNode(STANDARD.headers, '/headers')
  const seen = new Set<string>()
  let places = 0
  const templates = Object.keys(written.object()).map((name) => {
    const template = written.required(name)
    if (!HEADER_NAME.test(name)) throw template.error('must have a name of letters, digits and hyphens')
    if (seen.has(name.toLowerCase()))
      throw template.error('must differ from the other names, regardless of case')
    seen.add(name.toLowerCase())
    const names = namesOf(template, 256, [...FIELDS, 'signatures'])
    places += names.filter((one) => one === 'signatures').length
    return [name, template.text(256)] as const
  })
  if (places !== (isSigned ? 1 : 0)) {
    const mistake = isSigned
      ? `must contain {signatures} once, not ${places} times`
      : 'must not contain {signatures}'
    throw written.error(mistake)
  }
  return Object.fromEntries(templates)
}

function namesOf(node: JsonNode, maxLength: number, allowed: readonly string[]): string[] {
  const text = node.text(maxLength)
  if (!VISIBLE.test(text)) throw node.error('must contain only visible ASCII characters')
  const parts = readTemplate(text, allowed)
  if (isMistake(parts)) throw node.error(parts.mistake)
  return namesIn(parts)
}

function readSignatures(root: JsonNode): readonly SignatureParts[] {
  const node = root.member('signatures')
  const isUnsigned = root.member('unsigned')?.boolean() ?? false
  const schemes = node?.items(2) ?? null
  if (isUnsigned && schemes?.length !== 0) {
    throw new JsonNode(null, '/unsigned').error(
      'requires "signatures": []; otherwise the requests are signed',
    )
  }
  if (schemes === null) return STANDARD.signatures
  if (schemes.length === 0 && !isUnsigned) {
    throw node!.error('must contain a signature, unless "unsigned" is true')
  }
  const signatures = schemes.map(readSignature)
  if (signatures.length === 2) checkTwo(signatures, node!)
  return signatures
}

function readSignature(node: JsonNode): SignatureParts {
  for (const name of Object.keys(node.object()))
    if (!SIGNATURE_MEMBERS.includes(name)) throw node.required(name).error('is not known to this version')
  const content = node.required('content')
  const signed = namesOf(content, 128, [...FIELDS, 'body'])
  if (signed.filter((name) => name === 'body').length !== 1 || !content.text(128).endsWith('{body}'))
    throw content.error('must end with {body} and contain it once')
  const each = node.required('each')
  if (aroundSignature(each.text(64)) === null) throw each.error('must contain {signature} once')
  const algorithm = node.required('algorithm').oneOf(Object.keys(ALGORITHMS) as (keyof typeof ALGORITHMS)[])
  const form = readForm(node, algorithm === 'ed25519')
  const join = node.member('join')?.text(4)
  const most = node.member('most')?.count(1, 16)
  if (join === undefined && most !== undefined && most > 1)
    throw node.required('join').error('is required if a request can have several signatures')
  return {
    content: content.text(128),
    algorithm,
    encoding: node.required('encoding').oneOf(['hex', 'base64']),
    each: each.text(64),
    ...(form === null ? {} : { secret: form }),
    ...(join === undefined ? {} : { join }),
    ...(most === undefined ? {} : { most }),
  }
}

function readForm(node: JsonNode, isKeyPair: boolean): SecretFormName | null {
  if (!isKeyPair) return node.required('secret').oneOf(Object.keys(SECRET_FORMS) as SecretFormName[])
  const given = node.member('secret')
  if (given !== undefined) throw given.error('is only for HMAC; remove it')
  return null
}

/** Signatures of two kinds stand in one header, so each must show its kind. */
function checkTwo([first, second]: readonly SignatureParts[], node: JsonNode): void {
  const place = (name: string) => new JsonNode(null, `${node.pointer}/0/${name}`)
  if (first!.join === undefined) throw place('join').error('is required if there are two signatures')
  const hasNoSeparator = first!.join === '' || second!.join === ''
  const isUnmarked = [first!, second!].some(({ each }) => aroundSignature(each)!.before === '')
  if (hasNoSeparator && isUnmarked)
    throw place('join').error('must not be empty: it separates the two kinds of signature')
}

function readEnvelope(root: JsonNode): ProfileParts['envelope'] {
  const node = root.member('envelope')
  if (node === undefined) return STANDARD.envelope
  const bare = node.member('bare')
  const members = node.member('members')
  if (bare !== undefined && !bare.boolean()) throw bare.error('must be true; otherwise remove it')
  if ((bare === undefined) === (members === undefined)) throw node.error('must have either bare or members')
  return members === undefined ? { bare: true } : { members: members.items(MAX_MEMBERS).map(readMember) }
}

function readMember(node: JsonNode): EnvelopeMember {
  const path = node.required('path')
  if (!MEMBER_PATH.test(path.text(260)))
    throw path.error('must be one to four member names separated by dots, such as data.object')
  const field = node.member('field')?.text(64)
  const as = node.member('as')?.oneOf(TIME_FORMS)
  return {
    path: path.text(260),
    ...(field === undefined ? {} : { field }),
    ...(as === undefined ? {} : { as }),
  }
}
