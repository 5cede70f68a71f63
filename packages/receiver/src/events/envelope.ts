import { tagOf } from '../core/body.ts'
import { ensure } from '../core/errors.ts'
import { UUID as UUID_PATTERN } from '../core/facts.ts'
import type { JsonObject } from './catalog.ts'

/** What a member of an envelope must be. */
export type MemberRule = readonly [isValid: (value: unknown) => boolean, shape: string]

const isJsonObject = (value: unknown): value is JsonObject => tagOf(value) === 'Object'

/** Years of more than four digits have more characters. */
const isTime = (value: unknown): boolean =>
  new Date(value as string).toJSON() === value && (value as string)?.length === 24

export const TEXT: MemberRule = [(value) => typeof value === 'string' && value !== '', 'a non-empty string']
export const UUID: MemberRule = [(value) => typeof value === 'string' && UUID_PATTERN.test(value), 'a UUID']
export const ISO_TIME: MemberRule = [isTime, 'an ISO 8601 UTC time with milliseconds']
export const OBJECT: MemberRule = [isJsonObject, 'an object']

/**
 * Members without a rule are accepted: later versions may add some.
 *
 * @throws {WebhookVerificationError} `envelope_invalid`, naming the first member that is wrong.
 */
export function checkEnvelope<Envelope>(
  value: unknown,
  rules: Readonly<Record<string, MemberRule>>,
): asserts value is Envelope {
  checkObject(value)
  for (const [member, rule] of Object.entries(rules)) {
    checkMember(member, rule, Object.hasOwn(value, member) ? value[member] : undefined)
  }
}

/** @throws {WebhookVerificationError} `envelope_invalid`. */
export function checkObject(value: unknown): asserts value is JsonObject {
  ensure(isJsonObject(value), 'envelope_invalid', 'The signed body must be a JSON object.')
}

/**
 * @param path of the member, with dots
 * @throws {WebhookVerificationError} `envelope_invalid`.
 */
export function checkMember(path: string, [isValid, shape]: MemberRule, value: unknown): void {
  ensure(isValid(value), 'envelope_invalid', `The member "${path}" of the signed body must be ${shape}.`)
}
