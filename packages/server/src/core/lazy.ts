/** @returns the result of `make`, which is called once, at the first use */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
