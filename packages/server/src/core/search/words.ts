/** What finds an event costs at most this much for each event. */
export const MAX_WORDS = 24
const MAX_WORD_LENGTH = 64
/** Values that are read of an event at most: a list may hold any number. */
const MAX_VALUES = 32
/** Of a value, this much is read. */
const MAX_VALUE_LENGTH = 1024
/** Words of a question. */
export const MAX_ASKED_WORDS = 8

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** From the first letter or digit to the last. Cutting off what stands around them would take quadratic time. */
const INNER = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su
/** What joins words. An underscore does not: ids have one. */
const BETWEEN = /[^\p{L}\p{M}\p{N}_]+/u

/**
 * The words of a text in one spelling: between spaces, and of those that hold a hyphen, a dot or the like also their parts. A UUID
 * is one word.
 */
function* wordsOf(text: string): Generator<string> {
  for (const piece of spelled(text).split(/\s+/u)) {
    const word = trimmed(piece)
    if (word === '') continue
    yield word.slice(0, MAX_WORD_LENGTH)
    if (UUID.test(word)) continue
    const parts = word.split(BETWEEN)
    if (parts.length > 1) for (const part of parts) if (part !== '') yield part.slice(0, MAX_WORD_LENGTH)
  }
}

const trimmed = (piece: string) => INNER.exec(piece)?.[0] ?? ''

/** One character may become many. */
const spelled = (text: string) =>
  text.slice(0, MAX_VALUE_LENGTH).normalize('NFKC').slice(0, MAX_VALUE_LENGTH).toLowerCase()

/** The words that a question names, which all must be there. A word with a hyphen in it is one. */
export function askedWords(text: string): readonly string[] {
  const words = spelled(text)
    .split(/\s+/u)
    .map((piece) => trimmed(piece).slice(0, MAX_WORD_LENGTH))
  return [...new Set(words)].filter((word) => word !== '').slice(0, MAX_ASKED_WORDS)
}

/**
 * The words that find an event.
 * @param body as it is sent
 * @param paths of the members to read, such as `data.name`; first come, first served
 */
export function wordsIn(body: string, paths: readonly string[]): ReadonlySet<string> {
  const words = new Set<string>()
  if (paths.length === 0) return words
  const read: unknown = JSON.parse(body)
  let values = 0
  for (const path of paths) {
    for (const value of valuesAt(read, path.split('.'))) {
      if (++values > MAX_VALUES) return words
      for (const word of wordsOf(value)) {
        words.add(word)
        if (words.size === MAX_WORDS) return words
      }
    }
  }
  return words
}

/** Texts and numbers at a path; of a list, those of each member. */
function* valuesAt(value: unknown, path: readonly string[]): Generator<string> {
  if (Array.isArray(value)) {
    for (const one of value.slice(0, MAX_VALUES)) yield* valuesAt(one, path)
    return
  }
  const [name, ...rest] = path
  if (name === undefined) {
    if (typeof value === 'string') yield value
    else if (typeof value === 'number') yield String(value)
    return
  }
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, name))
    yield* valuesAt((value as Readonly<Record<string, unknown>>)[name], rest)
}
