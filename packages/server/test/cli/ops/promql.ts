/** One metric in a query, with its label selectors. */
export interface Selector {
  readonly metric: string
  readonly labels: readonly { readonly name: string; readonly values: readonly string[] }[]
}

const METRIC = /\b((?:posthorn|nodejs|process)_\w+|up)\b(?:\{([^}]*)\})?/g
const MATCHER = /(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g
const GROUPING = /\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g

/** All metrics in a query of the forms that rules and dashboard use. */
export function selectorsOf(query: string): readonly Selector[] {
  return [...query.matchAll(METRIC)].map(([, metric, matchers = '']) => ({
    metric: metric!,
    labels: [...matchers.matchAll(MATCHER)].map(([, name, operator, text]) => ({
      name: name!,
      values: operator!.endsWith('~') ? text!.split('|') : [text!],
    })),
  }))
}

/** The labels that a query groups or joins by. */
export const groupedBy = (query: string): readonly string[] =>
  [...query.matchAll(GROUPING)].flatMap(([, labels]) =>
    labels!
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  )
