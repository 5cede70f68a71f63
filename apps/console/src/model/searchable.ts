/** What words of an event its service finds it by. */
export interface Searchable {
  /** Paths into its body, the most telling first. A name that begins with a star stands for all that end with the rest of it. */
  readonly members: readonly string[]
  /** Where its data is in the body; `null`: it is the body. */
  readonly data: string | null
}

/** Something that says what an event is about, such as the id of an order. */
export interface Subject {
  /** Where it is in the data. */
  readonly label: string
  readonly value: string
}

const MOST_SUBJECTS = 6
const LONGEST_IN_ROW = 60
/** Values that are read of a list, and at a path: there may be any number. */
const MOST_VALUES = 32
const MOST_NESTED_LISTS = 4

const LISTS = new Intl.ListFormat('en-GB')

/** What a search finds, in a sentence. */
export function searchHelp({ members, data }: Searchable): string {
  if (members.length === 0) return 'Finds an event or a delivery by its id.'
  const named = members.map((path) => withoutData(path, data))
  return `Finds event and delivery ids, and whole words of these fields: ${LISTS.format(named)}.`
}

export const searchPlaceholder = ({ members }: Searchable): string =>
  members.length === 0 ? 'Event or delivery id, then Enter' : 'Id or whole words, then Enter'

/**
 * What an event is about, by the members that find it: the first value of each, then the second, as the service indexes them.
 * @param body as it is sent
 */
export function subjectsOf(body: unknown, { members, data }: Searchable): readonly Subject[] {
  const found = members.map((path) => firstOf(valuesAt(body, path.split('.'), [])))
  const turns = Math.max(0, ...found.map(({ length }) => length))
  const subjects = new Map<string, Subject>()
  for (let turn = 0; turn < turns; turn++) {
    for (const values of found) {
      const one = values[turn]
      if (one === undefined || subjects.has(one.value)) continue
      subjects.set(one.value, { label: withoutData(one.path.join('.'), data), value: one.value })
      if (subjects.size === MOST_SUBJECTS) return [...subjects.values()]
    }
  }
  return [...subjects.values()]
}

/** The subjects of a body that was sent; none where it is not known. */
export function subjectsOfText(body: string | null, searchable: Searchable): readonly Subject[] {
  if (body === null) return []
  try {
    return subjectsOf(JSON.parse(body), searchable)
  } catch {
    return []
  }
}

/** A name for people beside an id: the end of a label that says so. */
const NAMES = /(^|\.)(name|title|slug)$/i

/** What tells an event from others of its type, in a row: the first id, and a name where there is one. */
export function subjectText(subjects: readonly Subject[]): string | null {
  const [first] = subjects
  if (first === undefined) return null
  const name = subjects.find((subject) => subject !== first && NAMES.test(subject.label))
  const shown = [`${first.label}: ${short(first.value)}`, ...(name === undefined ? [] : [short(name.value)])]
  return shown.join(' · ')
}

const short = (value: string) => {
  const characters = [...value]
  return characters.length <= LONGEST_IN_ROW ? value : `${characters.slice(0, LONGEST_IN_ROW - 1).join('')}…`
}

const withoutData = (path: string, data: string | null) =>
  data !== null && path.startsWith(`${data}.`) ? path.slice(data.length + 1) : path

function firstOf(values: Iterable<Found>): readonly Found[] {
  const some: Found[] = []
  for (const value of values) if (some.push(value) === MOST_VALUES) break
  return some
}

interface Found {
  readonly path: readonly string[]
  readonly value: string
}

/** Texts and numbers at a path, as the index of the service reads them. */
function* valuesAt(
  value: unknown,
  ahead: readonly string[],
  path: readonly string[],
  lists = 0,
): Generator<Found> {
  if (Array.isArray(value)) {
    if (lists === MOST_NESTED_LISTS) return
    for (const one of value.slice(0, MOST_VALUES)) yield* valuesAt(one, ahead, path, lists + 1)
    return
  }
  const [name, ...rest] = ahead
  if (name === undefined) {
    if ((typeof value === 'string' && value.trim() !== '') || typeof value === 'number')
      yield { path, value: String(value) }
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [own, member] of Object.entries(value)) {
    if (name.startsWith('*') ? own.endsWith(name.slice(1)) : own === name)
      yield* valuesAt(member, rest, [...path, own])
  }
}
