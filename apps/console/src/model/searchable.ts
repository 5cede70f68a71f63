/** The fields by which a service finds its events. */
export interface Searchable {
  /** Paths into the body, most relevant first. A name that starts with `*` matches all names with that ending. */
  readonly members: readonly string[]
  /** Path of the event's data in the body; `null`: the whole body. */
  readonly data: string | null
}

/** A value that identifies the subject of an event, such as an order id. */
export interface Subject {
  /** Path in the data. */
  readonly label: string
  readonly value: string
}

const MOST_SUBJECTS = 6
const LONGEST_IN_ROW = 60
/** Most values that are read from a list or at a path. */
const MOST_VALUES = 32
const MOST_NESTED_LISTS = 4

const LISTS = new Intl.ListFormat('en-GB')

/** Help text of the search field. */
export function searchHelp({ members, data }: Searchable): string {
  if (members.length === 0) return 'Finds an event or a delivery by its id.'
  const named = members.map((path) => withoutData(path, data))
  return `Finds event and delivery ids, and whole words of these fields: ${LISTS.format(named)}.`
}

export const searchPlaceholder = ({ members }: Searchable): string =>
  members.length === 0
    ? 'Type an event or delivery id, and press Enter'
    : 'Type an id or whole words, and press Enter'

/**
 * The subjects of an event, from its searchable members: the first value of each, then the second, as in the search index.
 * @param body request body
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

/** The subjects of a request body; empty if it is unknown. */
export function subjectsOfText(body: string | null, searchable: Searchable): readonly Subject[] {
  if (body === null) return []
  try {
    return subjectsOf(JSON.parse(body), searchable)
  } catch {
    return []
  }
}

/** Labels of human-readable names. */
const NAMES = /(^|\.)(name|title|slug)$/i

/** Short description of an event in a row: its first subject, and its name if there is one. */
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

/** Strings and numbers at a path, as in the search index. */
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
