import { namesIn, type Part } from './template.ts'

/** What is known of the values of a placeholder before any is seen. */
interface ValueForm {
  /** The characters that senders use. */
  readonly alphabet: RegExp
  /** Of every value; `null`: it differs. */
  readonly length: number | null
}

export type Forms<Name extends string> = Readonly<Record<Name, ValueForm>>

/**
 * A template from whose text the values can be read back. A text is split from its start while each value is followed by a
 * character that the value cannot contain. The rest is split from the end. At most one value, the pivot, lies between.
 */
export interface Layout<Name extends string> {
  readonly parts: readonly Part<Name>[]
  /** Up to this part a text is split from its beginning, after it from its end. */
  readonly pivot: number
  /** Characters that end a value, so that it must not hold them. */
  readonly delimiters: ReadonlyMap<Name, string>
}

/** @returns `null`: the template is ambiguous, since two values remain between both ends */
export function layoutOf<Name extends string>(
  parts: readonly Part<Name>[],
  forms: Forms<Name>,
): Layout<Name> | null {
  const delimiters = new Map<Name, string>()
  /** @param delimiter the character beside the value; `undefined`: there is none */
  const ends = (part: Part<Name>, delimiter: string | undefined): boolean => {
    if (typeof part === 'string' || forms[part.name].length !== null) return true
    if (delimiter === undefined || forms[part.name].alphabet.test(delimiter)) return false
    delimiters.set(part.name, (delimiters.get(part.name) ?? '') + delimiter)
    return true
  }
  const textAt = (at: number) => (typeof parts[at] === 'string' ? parts[at] : '')
  let pivot = 0
  while (pivot < parts.length && ends(parts[pivot]!, textAt(pivot + 1)[0])) pivot += 1
  for (let at = parts.length - 1; at > pivot; at -= 1) {
    if (!ends(parts[at]!, textAt(at - 1).at(-1))) return null
  }
  return { parts, pivot, delimiters }
}

/**
 * Characters that no value in signed content may contain, since the same bytes could otherwise be read as different values.
 * `startsObject`: whether that holds only for bodies that begin with `{`.
 *
 * @param parts the parts before the body
 * @returns `null`: the values cannot be separated
 */
export function contentDelimiters<Name extends string>(
  parts: readonly Part<Name>[],
  forms: Forms<Name>,
): { readonly delimiters: ReadonlyMap<Name, string>; readonly startsObject: boolean } | null {
  // A body may be anything, so what stands before it must end without it.
  const alone = layoutOf(parts, forms)
  if (alone !== null && alone.pivot === parts.length)
    return { delimiters: alone.delimiters, startsObject: false }
  const beforeObject = layoutOf([...parts, '{'], forms)
  if (beforeObject === null) return null
  // From the pivot on, the first brace must be that of the body.
  const rest = parts.slice(beforeObject.pivot)
  if (rest.some((part) => typeof part === 'string' && part.includes('{'))) return null
  const delimiters = namesIn(parts).map(
    (name) => [name, `${beforeObject.delimiters.get(name) ?? ''}{`] as const,
  )
  return { delimiters: new Map(delimiters), startsObject: true }
}

/** The values in a text, in order; `null`: it does not have the form of the template. */
export function splitText<Name extends string>(
  { parts, pivot }: Layout<Name>,
  text: string,
  forms: Forms<Name>,
): [name: Name, value: string][] | null {
  const values: [Name, string][] = []
  let start = 0
  for (let at = 0; at < pivot; at += 1) {
    const part = parts[at]!
    const end = endAfter(part, parts[at + 1], text, start, forms)
    if (end === null) return null
    if (typeof part !== 'string') values.push([part.name, text.slice(start, end)])
    start = end
  }
  const last: [Name, string][] = []
  let end = text.length
  for (let at = parts.length - 1; at > pivot; at -= 1) {
    const part = parts[at]!
    const from = startBefore(part, parts[at - 1], text, end, forms)
    if (from === null || from < start) return null
    if (typeof part !== 'string') last.unshift([part.name, text.slice(from, end)])
    end = from
  }
  const part = parts[pivot]
  if (part === undefined) return start === end ? values : null
  if (typeof part !== 'string') values.push([part.name, text.slice(start, end)])
  return [...values, ...last]
}

function endAfter<Name extends string>(
  part: Part<Name>,
  next: Part<Name> | undefined,
  text: string,
  start: number,
  forms: Forms<Name>,
): number | null {
  if (typeof part === 'string') return text.startsWith(part, start) ? start + part.length : null
  const { length } = forms[part.name]
  const end = length === null ? text.indexOf((next as string)[0]!, start) : start + length
  return end === -1 || end > text.length ? null : end
}

function startBefore<Name extends string>(
  part: Part<Name>,
  previous: Part<Name> | undefined,
  text: string,
  end: number,
  forms: Forms<Name>,
): number | null {
  if (typeof part === 'string') return text.endsWith(part, end) ? end - part.length : null
  const { length } = forms[part.name]
  const from = length === null ? text.lastIndexOf((previous as string).at(-1)!, end - 1) + 1 : end - length
  return from <= 0 || from > end ? null : from
}
