import { invalidRequest, type Problem } from '../problems.ts'

/** Whether a text may have a member named `__proto__`: `\u005f` is the only other way to write an underscore. */
export const mayNamePrototype = (text: string): boolean =>
  text.includes('__proto__') || text.includes('\\u005')

/** @returns the JSON pointer of a member named `__proto__` in a value; `null`: there is none */
export function findPrototype(value: unknown): string | null {
  const queue: { readonly value: unknown; readonly pointer: string }[] = [{ value, pointer: '' }]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    for (const [member, inner] of Object.entries(next.value)) {
      if (member === '__proto__') return `${next.pointer}/__proto__`
      queue.push({ value: inner, pointer: `${next.pointer}/${escapePointer(member)}` })
    }
  }
  return null
}

export const escapePointer = (member: string) => member.replaceAll('~', '~0').replaceAll('/', '~1')

/** Members named `__proto__` are harmless to us, but could poison the objects of a receiver that merges our data. */
export const prototypeRefused = (pointer: string): Problem =>
  invalidRequest([{ pointer, message: 'is a name that is not allowed; use another name' }])
