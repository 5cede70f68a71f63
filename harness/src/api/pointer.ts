/** A value within a document, and its JSON pointer (RFC 6901) with `#` before it. */
export interface Place<T> {
  readonly pointer: string
  readonly value: T
}

const escapeName = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')
const unescapeName = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~')

/** Walks a document and follows every `$ref`. */
export class Places {
  readonly #root: unknown

  constructor(root: unknown) {
    this.#root = root
  }

  /** The value of one member, or `null` when there is none. The caller names its type. */
  child<T>(parent: Place<unknown>, name: string): Place<T> | null {
    const value = memberOf(parent.value, name)
    return value === undefined
      ? null
      : this.#follow<T>({ pointer: `${parent.pointer}/${escapeName(name)}`, value })
  }

  /** Every member of an object or a list, in its order. */
  children<T>(parent: Place<unknown> | null): readonly (Place<T> & { readonly name: string })[] {
    if (parent === null || typeof parent.value !== 'object' || parent.value === null) return []
    return Object.keys(parent.value).map((name) => ({ name, ...this.child<T>(parent, name)! }))
  }

  get root(): Place<unknown> {
    return { pointer: '#', value: this.#root }
  }

  /** @throws Error when nothing is there */
  at<T>(pointer: string): Place<T> {
    let place: Place<unknown> = this.root
    for (const part of pointer.split('/').slice(1)) {
      const next = this.child<unknown>(place, unescapeName(decodeURIComponent(part)))
      if (next === null) throw new Error(`nothing in the document is at ${pointer}`)
      place = next
    }
    return place as Place<T>
  }

  #follow<T>(place: Place<unknown>): Place<T> {
    const ref = memberOf(place.value, '$ref')
    return typeof ref === 'string' ? this.at<T>(ref) : (place as Place<T>)
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}
