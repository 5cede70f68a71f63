import type { VerificationErrorCode } from '../core/errors.ts'
import { MESSAGE_ID, UNIX_SECONDS } from '../core/facts.ts'
import type { Field } from './parts.ts'

/** What the value of a placeholder must be. */
interface FieldRule {
  readonly missing: VerificationErrorCode
  readonly malformed: VerificationErrorCode
  readonly accepts: (text: string) => boolean
  /** Completes "must …". */
  readonly shape: string
  /** Characters that senders use. A template can end the value with any other. */
  readonly alphabet: RegExp
  /** Of every value; `null`: it differs. */
  readonly length: number | null
}

export type FieldRules = Readonly<Record<Field, FieldRule>>

const matches = (pattern: RegExp) => (text: string) => pattern.test(text)

const ID: Omit<FieldRule, 'missing' | 'malformed'> = {
  accepts: matches(MESSAGE_ID),
  shape: 'have 1 to 256 visible ASCII characters, without dots and commas',
  alphabet: /[A-Za-z0-9_-]/,
  length: null,
}

export const FIELD_RULES: FieldRules = {
  id: { ...ID, missing: 'id_missing', malformed: 'id_malformed' },
  timestamp: {
    missing: 'timestamp_missing',
    malformed: 'timestamp_malformed',
    accepts: matches(UNIX_SECONDS),
    shape: 'be whole Unix seconds in decimal digits, such as 1767225600',
    alphabet: /[0-9]/,
    length: null,
  },
  'timestamp:iso': {
    missing: 'timestamp_missing',
    malformed: 'timestamp_malformed',
    accepts: isWholeSecond,
    shape: 'be a UTC time in whole seconds, such as 2026-01-01T00:00:00.000Z',
    alphabet: /[0-9TZ:.-]/,
    length: 24,
  },
  type: {
    missing: 'event_type_missing',
    malformed: 'event_type_malformed',
    accepts: matches(/^[A-Za-z0-9_./-]{1,128}$/),
    shape: 'have 1 to 128 letters, digits and the characters _ . / and -, such as invoice.paid',
    alphabet: /[A-Za-z0-9_./-]/,
    length: null,
  },
  delivery_id: { ...ID, missing: 'delivery_id_missing', malformed: 'delivery_id_malformed' },
  attempt: {
    missing: 'header_missing',
    malformed: 'header_malformed',
    accepts: matches(/^[1-9][0-9]{0,8}$/),
    shape: 'be a whole number, such as 1',
    alphabet: /[0-9]/,
    length: null,
  },
  'workspace.slug': {
    missing: 'header_missing',
    malformed: 'header_malformed',
    accepts: matches(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/),
    shape: 'have at most 63 lower-case letters, digits and hyphens, such as acme-stories',
    alphabet: /[a-z0-9-]/,
    length: null,
  },
  webhook_id: { ...ID, missing: 'header_missing', malformed: 'header_malformed' },
}

function isWholeSecond(text: string): boolean {
  const ms = Date.parse(text)
  return ms > 0 && ms % 1000 === 0 && new Date(ms).toISOString() === text
}
