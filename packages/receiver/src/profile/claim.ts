import { WebhookVerificationError } from '../core/errors.ts'
import { readHeaders, type WebhookHeaders } from '../core/headers.ts'
import { splitText } from './layout.ts'
import { type Field, isTime } from './parts.ts'
import type { HeaderField, HeaderPlan, Plan } from './plan.ts'
import type { Part } from './template.ts'

/** What the headers of a request say, before any of it is known to be true. */
export interface Claim {
  readonly values: ReadonlyMap<Field, string>
  /** What stands for `{signatures}`; empty where requests are not signed. */
  readonly signatures: string
}

/** @throws {WebhookVerificationError} for headers that are missing, malformed or contradict each other. */
export function readClaim(plan: Plan, headers: WebhookHeaders): Claim {
  const lists = plan.headers.filter(({ mayHoldList }) => mayHoldList)
  const nameOf = ({ name }: HeaderPlan) => name
  const texts = readHeaders(headers, plan.headers.map(nameOf), lists.map(nameOf))
  const values = new Map<Field, string>()
  let signatures = ''
  for (const header of plan.headers) {
    for (const [field, value] of split(plan, header, texts.get(header.name))) {
      if (field === 'signatures') signatures = value
      else if (isTime(field)) readTime(plan, header, field, value, values)
      else put(values, field, checked(plan, header, field, value))
    }
  }
  return { values, signatures }
}

/** The signed text ahead of the body. */
export function contentPrefix(content: readonly Part<Field>[], values: ReadonlyMap<Field, string>): string {
  return content.map((part) => (typeof part === 'string' ? part : values.get(part.name)!)).join('')
}

function split(plan: Plan, header: HeaderPlan, text: string | undefined): [HeaderField, string][] {
  const { name, fields, layout } = header
  const [first] = fields
  const isSignature = fields.includes('signatures')
  if (text === undefined) {
    const code = isSignature ? 'signature_missing' : plan.rules[first as Field].missing
    const hint = isSignature ? ': the request is not signed' : ''
    throw new WebhookVerificationError(code, `The header ${name} is missing${hint}.`)
  }
  const values = splitText(layout, text, plan.forms)
  if (values !== null) return values
  const code = isSignature ? 'signature_malformed' : plan.rules[first as Field].malformed
  const form = layout.parts.map((part) => (typeof part === 'string' ? part : `{${part.name}}`)).join('')
  throw new WebhookVerificationError(code, `The header ${name} must have the form "${form}".`)
}

function checked(plan: Plan, { name, layout }: HeaderPlan, field: Field, value: string): string {
  const { accepts, malformed, shape } = plan.rules[field]
  const what = layout.parts.length === 1 ? `The header ${name}` : `{${field}} in the header ${name}`
  if (!accepts(value)) throw new WebhookVerificationError(malformed, `${what} must ${shape}.`)
  for (const sign of plan.delimiters.get(field) ?? '') {
    if (value.includes(sign))
      throw new WebhookVerificationError(
        malformed,
        `${what} must not contain "${sign}", which separates values.`,
      )
  }
  return value
}

/** Both forms of the time are known from either. A time that is not signed is passed over. */
function readTime(
  plan: Plan,
  header: HeaderPlan,
  field: Field,
  value: string,
  values: Map<Field, string>,
): void {
  if (!plan.signsTime) return
  checked(plan, header, field, value)
  const ms = field === 'timestamp' ? Number(value) * 1000 : Date.parse(value)
  put(values, 'timestamp', String(ms / 1000))
  put(values, 'timestamp:iso', new Date(ms).toISOString())
}

function put(values: Map<Field, string>, field: Field, value: string): void {
  const known = values.get(field)
  if (known !== undefined && known !== value) {
    throw new WebhookVerificationError('header_ambiguous', `Two headers have different values of {${field}}.`)
  }
  values.set(field, value)
}
