import { ENDLESS, hostileTexts } from './hostile.ts'
import type { Reply } from './receiver.ts'

/** Stored length of a content type. */
const KEPT_CHARACTERS = 256
/** Fits into the 2 KB that are stored of a body, whatever its characters need in UTF-8. */
const BODY_CHARACTERS = 1900

export const BODY_TEXTS = hostileTexts('response body', BODY_CHARACTERS, 'anything')
/** A member's value and its name; both together fit as well. */
export const JSON_TEXTS = [
  hostileTexts('response JSON', 700, 'anything')[0]!,
  hostileTexts('JSON key', 700, 'anything')[0]!,
] as const
export const CONTENT_TYPES = hostileTexts('content type', KEPT_CHARACTERS, 'header')

type Answer = Exclude<Reply, 'hang'>

/**
 * Answers of a receiver that would attack the person who views them, by their content; each has its own
 * content type.
 */
export function hostileReplies(): ReadonlyMap<string, Answer> {
  const [value, name] = JSON_TEXTS
  const bodies: readonly (readonly [string, Answer])[] = [
    ['markup', { status: 500, body: BODY_TEXTS[0]! }],
    ['word', { status: 503, body: BODY_TEXTS[1]! }],
    ['endless', { status: 400, body: ENDLESS }],
    ['json', { status: 500, body: JSON.stringify({ [name]: value }) }],
    ['bytes', { status: 500, body: Buffer.from(Array.from({ length: 900 }, (_, i) => (i * 7) % 256)) }],
    ['redirect', { status: 302, headers: { location: BODY_TEXTS[0]!.replace(/[^ -~]/g, '') } }],
  ]
  return new Map(
    bodies.map(([kind, reply], place) => {
      const contentType = CONTENT_TYPES[place % CONTENT_TYPES.length]!
      return [kind, { ...reply, contentType }]
    }),
  )
}
