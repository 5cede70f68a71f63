interface OpenApiDocument {
  readonly paths: object
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/**
 * The document without the outgoing requests (`webhooks`), and without components that no operation refers
 * to: their types would be published but never used.
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

/** Every `$ref` reachable from the operations. */
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
