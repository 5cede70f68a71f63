/** A template in parts: text as it is, and the names of what stands between it. */
export type Parts = readonly (string | { readonly name: string })[]

/** Reads a template of a profile. `{{` stands for a brace. */
export function partsOf(template: string): Parts {
  const parts: (string | { readonly name: string })[] = []
  for (const [found, name] of template.matchAll(/\{\{|\{([^}]+)\}|[^{]+/g)) {
    const last = parts.at(-1)
    if (name !== undefined) parts.push({ name })
    else if (typeof last === 'string') parts[parts.length - 1] = last + textOf(found)
    else parts.push(textOf(found))
  }
  return parts
}

const textOf = (found: string) => (found === '{{' ? '{' : found)

/** The placeholders in a template. */
export const namesIn = (template: string): readonly string[] =>
  partsOf(template).flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
