import { WebhookVerificationError } from '../errors.ts'

/**
 * Stands for every event type that this version of the library does not list. At run time it is the plain type
 * string, such as `brief.ready`. The pattern exists for the compiler alone, which could not narrow a union by `type`
 * if one member's were any string. Assign it to a `string` to compare it: `const type: string = event.type`.
 */
export type UnlistedEventType = `unlisted ${string}`

/** A signed JSON object whose members are still unknown. */
export type JsonObject = { readonly [member: string]: unknown }

// Any version, since the version is the sender's choice.
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** ISO 8601 in UTC with milliseconds, and a day that exists. */
function isIsoTime(value: unknown): value is string {
  if (typeof value !== 'string' || value.length !== '2026-01-01T00:00:00.000Z'.length) return false
  const date = new Date(value)
  return !Number.isNaN(date.getTime()) && date.toISOString() === value
}

/** @param unitMs milliseconds in one unit */
function isUnixTime(unitMs: number): (value: unknown) => boolean {
  return (value) =>
    Number.isSafeInteger(value) && !Number.isNaN(new Date((value as number) * unitMs).getTime())
}

/** What a member of an envelope must be. */
export interface MemberRule {
  readonly test: (value: unknown) => boolean
  readonly shape: string
}

export const TEXT: MemberRule = { test: isText, shape: 'a string that is not empty' }
export const UUID_TEXT: MemberRule = { test: isUuid, shape: 'a UUID' }
export const ISO_TIME: MemberRule = { test: isIsoTime, shape: 'an ISO 8601 time in UTC with milliseconds' }
export const ANY_TEXT: MemberRule = { test: (value) => typeof value === 'string', shape: 'a string' }
export const UNIX_S: MemberRule = { test: isUnixTime(1000), shape: 'whole Unix seconds' }
export const UNIX_MS: MemberRule = { test: isUnixTime(1), shape: 'whole Unix milliseconds' }
export const OBJECT: MemberRule = { test: isJsonObject, shape: 'an object' }

/**
 * Members without a rule are let through: they may come with later versions.
 *
 * @throws {WebhookVerificationError} `envelope_invalid`, naming the first member that is wrong.
 */
export function checkEnvelope(
  value: unknown,
  rules: Readonly<Record<string, MemberRule>>,
): asserts value is JsonObject {
  checkObject(value)
  for (const [member, rule] of Object.entries(rules)) {
    if (!Object.hasOwn(value, member) || !rule.test(value[member])) throw memberError(member, rule)
  }
}

/** @throws {WebhookVerificationError} `envelope_invalid`. */
export function checkObject(value: unknown): asserts value is JsonObject {
  if (isJsonObject(value)) return
  throw new WebhookVerificationError('envelope_invalid', 'The signed body must be a JSON object.')
}

/** @param path of the member, with dots */
export function memberError(path: string, { shape }: MemberRule): WebhookVerificationError {
  return new WebhookVerificationError(
    'envelope_invalid',
    `The member "${path}" of the signed body must be ${shape}.`,
  )
}
