interface OpenApiDocument {
  readonly paths: object
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/**
 * The document without the requests that go out to receivers (`webhooks`), and without the components that no operation
 * refers to: types of these would be published but could not be reached.
 */
export function withReachableOnly<Document extends OpenApiDocument>(document: Document): OpenApiDocument {
  const { webhooks: _, ...rest } = document as Document & { readonly webhooks?: unknown }
  const reached = referencesFrom(document)
  const components = Object.entries(document.components).map(([kind, named]) => {
    const kept = Object.entries(named).filter(([name]) => reached.has(`#/components/${kind}/${name}`))
    return [kind, Object.fromEntries(kept)]
  })
  return { ...rest, components: Object.fromEntries(components) }
}

/** Every `$ref` that the operations lead to. */
function referencesFrom({ paths, components }: OpenApiDocument): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [member, value] of Object.entries(node)) {
      if (member !== '$ref') visit(value)
      else if (!found.has(value)) {
        found.add(value)
        const [, , kind, name] = value.split('/')
        visit(components[kind]?.[name])
      }
    }
  }
  visit(paths)
  return found
}
