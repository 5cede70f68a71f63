/** Bounds the cost of indexing an event. */
export const MAX_WORDS = 24
const MAX_WORD_LENGTH = 64
/** How deep nested lists are followed. */
const MAX_NESTED_LISTS = 4
/** Values read at one path at most: a list may have any number. */
const MAX_VALUES = 32
/** How much of a value is read. */
const MAX_VALUE_LENGTH = 1024
/** Words of a search at most. */
export const MAX_ASKED_WORDS = 8

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** From the first letter or digit to the last. Trimming with an expression at both ends would take quadratic time. */
const INNER = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su
/** Characters that join words. The underscore does not: ids contain it. */
const BETWEEN = /[^\p{L}\p{M}\p{N}_]+/u

/** A shortcut for most words: they have nothing to trim or split. */
const PLAIN = /^[a-z0-9](?:[a-z0-9_]*[a-z0-9])?$/
const NOT_PRINTABLE_ASCII = /[^ -~]/

/** A path of member names in a body, such as `['data', 'name']`. */
export type Path = readonly string[]

/** @param members such as `data.name` */
export const pathsOf = (members: readonly string[]): readonly Path[] =>
  members.map((member) => member.split('.'))

/**
 * Adds the normalized words of a text, and the parts of words with hyphens, dots and the like, up to {@link MAX_WORDS}. A UUID
 * is one word.
 */
function addWords(words: Set<string>, text: string): void {
  const add = (word: string) => {
    if (words.size < MAX_WORDS) words.add(word.slice(0, MAX_WORD_LENGTH))
  }
  for (const piece of spelled(text).split(/\s+/u)) {
    const isPlain = PLAIN.test(piece)
    const word = isPlain ? piece : trimmed(piece)
    if (word === '') continue
    add(word)
    if (isPlain || UUID.test(word)) continue
    const parts = word.split(BETWEEN)
    if (parts.length > 1) for (const part of parts) if (part !== '') add(part)
  }
}

const trimmed = (piece: string) => INNER.exec(piece)?.[0] ?? ''

function spelled(text: string): string {
  const start = text.slice(0, MAX_VALUE_LENGTH)
  if (!NOT_PRINTABLE_ASCII.test(start)) return start.toLowerCase()
  // Normalizing one character may give many.
  return start.normalize('NFKC').slice(0, MAX_VALUE_LENGTH).toLowerCase()
}

/** The words of a search, which must all match. A word with a hyphen is one word. */
export function askedWords(text: string): readonly string[] {
  const words = spelled(text)
    .split(/\s+/u)
    .map((piece) => trimmed(piece).slice(0, MAX_WORD_LENGTH))
  return [...new Set(words)].filter((word) => word !== '').slice(0, MAX_ASKED_WORDS)
}

/**
 * The words by which an event is found.
 * @param body as it is sent
 * @param paths of the members to read, in turns: the first value of each, then the second, so that one with many values leaves
 *   room for the others. A name that begins with a star matches all members that end with the rest, as in `data.*_id` and
 *   `data.*.id`.
 */
export function wordsIn(body: string, paths: readonly Path[]): ReadonlySet<string> {
  const words = new Set<string>()
  if (paths.length === 0) return words
  const read: unknown = JSON.parse(body)
  const found = paths.map((path) => {
    const values: string[] = []
    addValues(values, read, path, 0)
    return values
  })
  const turns = Math.max(...found.map(({ length }) => length))
  for (let turn = 0; turn < turns; turn++) {
    for (const values of found) {
      if (words.size === MAX_WORDS) return words
      if (turn < values.length) addWords(words, values[turn]!)
    }
  }
  return words
}

/** Adds the texts and numbers at the end of a path, up to {@link MAX_VALUES}; of a list, those of each member. */
function addValues(values: string[], value: unknown, path: Path, depth: number, lists = 0): void {
  if (values.length === MAX_VALUES) return
  if (Array.isArray(value)) {
    if (lists === MAX_NESTED_LISTS) return
    for (const one of value.slice(0, MAX_VALUES)) addValues(values, one, path, depth, lists + 1)
    return
  }
  if (depth === path.length) {
    if (typeof value === 'string') values.push(value)
    else if (typeof value === 'number') values.push(String(value))
    return
  }
  if (typeof value !== 'object' || value === null) return
  const members = value as Readonly<Record<string, unknown>>
  const name = path[depth]!
  if (!name.startsWith('*')) {
    if (Object.hasOwn(members, name)) addValues(values, members[name], path, depth + 1)
    return
  }
  const end = name.slice(1)
  for (const own of Object.keys(members))
    if (own.endsWith(end)) addValues(values, members[own], path, depth + 1)
}
