import type { ReceiverConfigurationError } from '../core/errors.ts'
import { MAX_ENTRIES, MAX_SIGNATURES_LENGTH } from '../core/facts.ts'
import type { FieldRules } from './fields.ts'
import { configurationError, step } from './json.ts'
import { contentDelimiters, type Forms, type Layout, layoutOf } from './layout.ts'
import {
  ALGORITHMS,
  FIELDS,
  type Field,
  isTime,
  type RequestParts,
  type SignatureParts,
  sameFact,
} from './parts.ts'
import { findWeakSignature } from './signatureSet.ts'
import { aroundSignature, isMistake, namesIn, type Part, readTemplate } from './template.ts'

export type HeaderField = Field | 'signatures'

/** A header whose values are read. */
export interface HeaderPlan {
  readonly name: string
  /** Whether one value can hold a comma and a space. */
  readonly mayHoldList: boolean
  readonly layout: Layout<HeaderField>
  readonly fields: readonly HeaderField[]
}

/** One kind of signature. */
export interface SignaturePlan {
  /** Whether the receiver has a key for it. */
  readonly isActive: boolean
  /** What is signed ahead of the body. */
  readonly content: readonly Part<Field>[]
  readonly before: string
  readonly after: string
  readonly encoding: 'hex' | 'base64'
  /** Of the signature, and its characters once it is encoded. */
  readonly bytes: number
  readonly textLength: number
}

/** How a receiver with certain keys verifies the requests of a profile. */
export interface Plan {
  readonly rules: FieldRules
  readonly forms: Forms<HeaderField>
  /** In the order in which they are looked at. */
  readonly headers: readonly HeaderPlan[]
  /** The header that holds the signatures. */
  readonly signatureHeader: string
  readonly signatures: readonly SignaturePlan[]
  /** What can stand between two signatures; none: there is one signature only. */
  readonly separators: readonly string[]
  readonly maxEntries: number
  readonly maxLength: number
  /** Signs that would let signed content be read as other values, by the value that must not hold them. */
  readonly delimiters: ReadonlyMap<Field, string>
  /** Whether a signed body must begin with a brace. */
  readonly startsObject: boolean
  /** Whether the signatures that can be verified cover the time. */
  readonly signsTime: boolean
}

const ANY_TEXT = { alphabet: /[\s\S]/, length: null }

/**
 * @param isActive whether there is a key, for each signature
 * @throws {ReceiverConfigurationError} `profile_not_verifiable`
 */
export function planOf(parts: RequestParts, isActive: readonly boolean[], rules: FieldRules): Plan {
  const forms = { ...rules, signatures: ANY_TEXT }
  const signatures = parts.signatures.map((signature, i) => signaturePlan(signature, isActive[i] ?? false))
  const active = signatures.filter((signature) => signature.isActive)
  const signed = active.flatMap(({ content }) => namesIn(content))
  const isSigned = (field: string) => signed.some((one) => sameFact(one, field))
  const { headers, unreadable } = headerPlans(parts, forms, isSigned)
  const joins = parts.signatures.flatMap(({ join }) => (join === undefined ? [] : [join]))
  const delimiters = new Map<Field, string>()
  let startsObject = false
  for (const [i, { content, isActive: isUsed }] of signatures.entries()) {
    if (!isUsed) continue
    const pointer = `/signatures/${i}/content`
    checkKnown(content, headers, unreadable, pointer)
    const found = contentDelimiters(content, forms)
    if (found === null) {
      throw notVerifiable(
        pointer,
        'is ambiguous: separate its placeholders with a character that no value contains, such as a dot',
      )
    }
    startsObject ||= found.startsObject
    for (const [name, signs] of found.delimiters) delimiters.set(name, (delimiters.get(name) ?? '') + signs)
  }
  const weak = findWeakSignature(parts.signatures, signatures)
  if (weak !== null) throw notVerifiable(`/signatures/${weak.index}/content`, weak.mistake)
  return {
    rules,
    forms,
    headers,
    signatureHeader: headers.find(({ fields }) => fields.includes('signatures'))?.name ?? '',
    signatures,
    separators: [...new Set(joins)].sort((a, b) => b.length - a.length),
    maxEntries: Math.max(MAX_ENTRIES, mostEntries(parts)),
    maxLength: Math.max(MAX_SIGNATURES_LENGTH, longest(parts, signatures)),
    delimiters,
    startsObject,
    signsTime: signed.some(isTime),
  }
}

function signaturePlan(
  { content, algorithm, encoding, each }: SignatureParts,
  isActive: boolean,
): SignaturePlan {
  const prefix = templateParts(content, [...FIELDS, 'body'])
    .filter((part) => typeof part === 'string' || part.name !== 'body')
    .map((part) => part as Part<Field>)
  const { bytes } = ALGORITHMS[algorithm]
  return {
    isActive,
    content: prefix,
    ...aroundSignature(each)!,
    encoding,
    bytes,
    textLength: encoding === 'hex' ? bytes * 2 : Math.ceil(bytes / 3) * 4,
  }
}

/** Signed headers come first, then the signature: what cannot be verified is not looked at further. */
function headerPlans(
  { headers, signatures }: RequestParts,
  forms: Forms<HeaderField>,
  isSigned: (field: string) => boolean,
): { readonly headers: readonly HeaderPlan[]; readonly unreadable: ReadonlyMap<Field, string> } {
  const ranked: { readonly rank: number; readonly plan: HeaderPlan }[] = []
  const unreadable = new Map<Field, string>()
  const inSignatures = signatures.flatMap(({ each, join = '' }) => [each, join])
  for (const [name, template] of Object.entries(headers)) {
    const parts = templateParts(template.trim(), [...FIELDS, 'signatures'])
    const fields = namesIn(parts)
    // A time that is not signed proves nothing, so it is not read.
    if (fields.every((field) => isTime(field) && !isSigned(field))) continue
    const layout = layoutOf(parts, forms)
    const holdsSignatures = fields.includes('signatures')
    if (layout === null) {
      if (holdsSignatures) throw unreadableHeader(name)
      for (const field of fields) unreadable.set(field as Field, name)
      continue
    }
    const rank = holdsSignatures ? 1 : fields.some(isSigned) ? 0 : 2
    const texts = holdsSignatures ? [template, ...inSignatures] : [template]
    const mayHoldList = texts.some((text) => text.includes(', '))
    ranked.push({ rank, plan: { name, mayHoldList, layout, fields } })
  }
  ranked.sort((a, b) => a.rank - b.rank)
  return { headers: ranked.map(({ plan }) => plan), unreadable }
}

function checkKnown(
  content: readonly Part<Field>[],
  headers: readonly HeaderPlan[],
  unreadable: ReadonlyMap<Field, string>,
  pointer: string,
): void {
  for (const field of namesIn(content)) {
    if (headers.some(({ fields }) => fields.some((one) => sameFact(one, field)))) continue
    const header = unreadable.get(field)
    if (header !== undefined) throw unreadableHeader(header)
    throw notVerifiable(pointer, `signs {${field}}, which no header contains, so receivers cannot know it`)
  }
}

function templateParts<Name extends string>(text: string, allowed: readonly Name[]): readonly Part<Name>[] {
  const parts = readTemplate(text, allowed)
  if (isMistake(parts)) throw new TypeError(`The template ${parts.mistake}.`)
  return parts
}

function mostEntries({ signatures }: RequestParts): number {
  return signatures.reduce((sum, { join, most = 1 }) => sum + (join === undefined ? 1 : most), 0)
}

function longest({ signatures }: RequestParts, plans: readonly SignaturePlan[]): number {
  return signatures.reduce((sum, { join = '', most = 1 }, i) => {
    const { before, after, textLength } = plans[i]!
    return sum + most * (before.length + textLength + after.length + join.length)
  }, 0)
}

const unreadableHeader = (name: string) =>
  notVerifiable(
    `/headers${step(name)}`,
    'is ambiguous: separate its placeholders with a character that no value contains, such as a dot',
  )

function notVerifiable(pointer: string, mistake: string): ReceiverConfigurationError {
  return configurationError('profile_not_verifiable', `${pointer} in the profile ${mistake}.`, pointer)
}
