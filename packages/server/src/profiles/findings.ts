import type { InputError } from '../validation/inputErrors.ts'

/** Errors and warnings of a profile. Pointers are into the document. */
export class Findings {
  readonly errors: InputError[] = []
  readonly warnings: InputError[] = []

  error(pointer: string, message: string): void {
    this.errors.push({ pointer, message })
  }

  warning(pointer: string, message: string): void {
    this.warnings.push({ pointer, message })
  }
}

/** The part of a pointer for the name of a member. */
export const step = (name: string | number) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Positions and names of items with the name of an earlier item. */
export const repeats = <Item>(items: readonly Item[], nameOf: (item: Item) => string): [number, string][] => {
  const names = items.map(nameOf)
  return names.flatMap((name, i): [number, string][] => (names.indexOf(name) < i ? [[i, name]] : []))
}
