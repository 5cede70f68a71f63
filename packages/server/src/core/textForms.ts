/**
 * Forms of texts: the pattern for schemas, and its description in words for error messages, which never show a pattern.
 * Patterns use only what ECMAScript, Python, RE2 and Rust read alike: classes of ASCII characters, `\xHH` and no look-around.
 */
interface TextForm {
  readonly pattern: string
  /** Completes "must be …" and ends with an example. */
  readonly allowed: string
}

export const FORMS = {
  profileName: {
    pattern: '^[a-z][a-z0-9-]{0,31}$',
    allowed: '1 to 32 lower-case letters, digits and hyphens, starting with a letter, such as billing',
  },
  member: {
    pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}$',
    allowed:
      '1 to 64 letters, digits and underscores, starting with a letter or an underscore, such as created_at',
  },
  memberPath: {
    pattern: '^[A-Za-z_][A-Za-z0-9_]{0,63}(\\.[A-Za-z_][A-Za-z0-9_]{0,63}){0,3}$',
    allowed: 'one to four member names separated by dots, such as data.object',
  },
  searchablePath: {
    pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,63}(\\.[A-Za-z_][A-Za-z0-9_-]{0,63}){0,5}$',
    allowed: 'one to six member names separated by dots, such as data.invoice.id',
  },
  noun: {
    pattern: '^[a-z]{1,24}( [a-z]{1,24})?$',
    allowed: 'one or two words of lower-case letters, such as domain event',
  },
  textPlace: {
    pattern: '^[A-Za-z]{1,64}\\.[A-Za-z0-9_]{1,64}(\\.[A-Za-z0-9_]{1,64})?$',
    allowed: 'an operation or schema, a dot and one of its members, such as createWebhook.summary',
  },
  scope: {
    pattern: '^[a-z][a-z0-9_:-]{0,63}$',
    allowed:
      '1 to 64 lower-case letters, digits and the characters _ : and -, starting with a letter, such as events:write',
  },
  headerName: {
    pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$',
    allowed: '1 to 64 letters, digits and hyphens, starting with a letter, such as X-Billing-Signature',
  },
  eventTypeName: {
    pattern: '^[A-Za-z0-9_./-]{1,128}$',
    allowed: '1 to 128 letters, digits and the characters _ . / and -, such as invoice.paid',
  },
  eventTypeNames: {
    pattern: '^[A-Za-z0-9_./-]{1,128}(,[A-Za-z0-9_./-]{1,128}){0,19}$',
    allowed: '1 to 20 event types separated by commas, such as invoice.paid,invoice.sent',
  },
  idPrefix: {
    pattern: '^[a-z][a-z0-9-]{0,15}[_-]$',
    allowed:
      '2 to 17 lower-case letters, digits and hyphens, starting with a letter and ending with _ or -, such as evt_',
  },
  secretPrefix: {
    pattern: '^[A-Za-z0-9_-]{0,16}$',
    allowed: 'at most 16 letters, digits, underscores and hyphens, such as whsec_',
  },
  duration: {
    pattern: '^[0-9]{1,9}(\\.[0-9]{1,3})?(ms|s|m|h|d)$',
    allowed: 'a number and a unit (ms, s, m, h or d), such as 30s',
  },
  label: {
    pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
    allowed: 'one line of text without control characters, such as Acme Stories',
  },
  freeText: {
    pattern: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]*$',
    allowed:
      'text without control characters other than tabs and line breaks, such as Orders for the warehouse',
  },
  slug: {
    pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
    allowed:
      '1 to 63 lower-case letters, digits and hyphens, starting and ending with a letter or a digit, such as acme-stories',
  },
  idempotencyKey: {
    pattern: '^[!-~]+$',
    allowed: 'visible ASCII characters without spaces, such as order-1001-created',
  },
  statusCodes: {
    pattern: '^(?:[1-9][0-9]{2}|[2-5]xx|none)$',
    allowed: 'a status code, one of the classes 2xx, 3xx, 4xx and 5xx, or none, such as 5xx',
  },
  actorId: {
    pattern: '^[A-Za-z0-9_.:-]{1,128}$',
    allowed: '1 to 128 letters, digits and the characters _ . : and -, such as usr_42',
  },
  linkName: {
    pattern: '^[a-z][a-z_]{0,31}$',
    allowed: '1 to 32 lower-case letters and underscores, starting with a letter, such as app',
  },
  webLink: {
    pattern: '^https?://',
    allowed: 'a URL that begins with https:// or http://, such as https://app.example.com/drafts/42',
  },
  sentTime: {
    pattern: '^[0-9T:-]{19}\\.[0-9]{3}Z$',
    allowed: 'a time in UTC with milliseconds, such as 2026-01-31T12:00:00.000Z',
  },
  code: {
    pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
    allowed: '1 to 64 letters, digits, underscores and hyphens, starting with a letter, such as not_approved',
  },
  id: {
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    allowed: '1 to 64 letters, digits, underscores and hyphens, such as 7f3c9a52',
  },
  currency: {
    pattern: '^[A-Z]{3}$',
    allowed: 'an ISO 4217 code of three capital letters, such as EUR',
  },
  fieldName: {
    pattern: '^[A-Za-z][A-Za-z0-9_.]{0,63}$',
    allowed: '1 to 64 letters, digits, underscores and dots, starting with a letter, such as budget.amount',
  },
  dealId: {
    pattern: '^[A-Za-z0-9_.:-]{1,64}$',
    allowed: '1 to 64 letters, digits and the characters _ . : and -, such as deal-4711',
  },
  timeZone: {
    pattern: '^[A-Za-z0-9_+/-]{1,64}$',
    allowed: 'the IANA name of a time zone, such as Europe/Lisbon',
  },
  cursor: {
    pattern: '^[A-Za-z0-9_-]{40,200}$',
    allowed: 'a cursor, such as the unchanged cursor of the previous page',
  },
  feedPosition: {
    pattern: '^[A-Za-z0-9_-]{1,200}$',
    allowed: 'a cursor of this feed or the id of an event, such as evt_01k94jv3a6f2m8q0x5s7t9b1cd',
  },
  instant: {
    // The days of each month, and 29 February in the leap years of the century.
    pattern:
      '^(?:20[0-9]{2}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|20(?:[02468][048]|[13579][26])-02-29)[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$',
    allowed: 'an RFC 3339 time from 2000 to 2099 with Z or an offset, such as 2026-03-14T09:26:53.589Z',
  },
  targetUrl: {
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\x00-\\x20\\x7f]+$',
    allowed: 'an HTTPS URL, such as https://hooks.example.com/',
  },
  consumerName: {
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
    allowed:
      '1 to 64 letters, digits, underscores and hyphens, starting with a letter or a digit, such as crm-sync',
  },
  listOfIds: {
    pattern: '^[^,]*(?:,[^,]*){0,99}$',
    allowed: 'at most 100 ids separated by commas, such as wh_1,wh_2',
  },
  reference: {
    pattern: '^[A-Za-z0-9_-]{1,100}$',
    allowed: 'an id or a slug, such as acme-stories',
  },
} as const satisfies Readonly<Record<string, TextForm>>

/** What formats allow, in the form of {@link TextForm.allowed}. */
export const FORMATS: Readonly<Record<string, string>> = {
  date: 'a date, such as 2026-01-31',
  'date-time': 'a time with its zone, such as 2026-01-31T12:00:00Z',
  email: 'an e-mail address, such as mira@acme.example',
  uri: 'a URL, such as https://app.example.com/drafts/42',
  uuid: 'a UUID, such as 0196f2a0-0000-7000-8000-000000000001',
}

const AFTER_PREFIX = '[A-Za-z0-9_-]{1,64}$'
const PREFIXED_ID = /^\^([a-z]+_)(.*)$/

/** The pattern of ids that begin with a prefix, such as `gen_`. */
export const prefixedIdPattern = (prefix: string) => `^${prefix}${AFTER_PREFIX}`

const ALLOWED: ReadonlyMap<string, string> = new Map(
  Object.values(FORMS).map(({ pattern, allowed }) => [pattern, allowed]),
)

/** The description of a pattern in words, with an example; `null` for a pattern that is not listed here. */
export function allowedBy(pattern: string): string | null {
  const [, prefix, rest] = PREFIXED_ID.exec(pattern) ?? []
  if (prefix !== undefined && rest === AFTER_PREFIX) {
    return `${prefix} and then 1 to 64 letters, digits, underscores and hyphens, such as ${prefix}42`
  }
  return ALLOWED.get(pattern) ?? null
}
