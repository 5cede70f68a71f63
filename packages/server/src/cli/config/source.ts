/** The source of a setting. */
export type Source =
  | { readonly kind: 'flag'; readonly flag: string }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'file'; readonly file: string; readonly line: number; readonly column: number }
  | { readonly kind: 'secret file'; readonly file: string; readonly namedBy: Source }

/** The text of a setting. */
export interface Given {
  readonly text: string
  readonly source: Source
}

/** The beginning of a message about a setting: its variable, and the source unless that is the variable. */
export function labelOf(variable: string, source: Source | undefined): string {
  if (source === undefined || source.kind === 'environment') return variable
  return `${variable} (${source.kind === 'secret file' ? source.file : sourceText(source)})`
}

/** For people. */
export function sourceText(source: Source): string {
  switch (source.kind) {
    case 'flag':
      return source.flag
    case 'environment':
      return source.variable
    case 'file':
      return `${source.file}:${source.line}:${source.column}`
    case 'secret file':
      return `${sourceText(source.namedBy)} (${source.file})`
  }
}
