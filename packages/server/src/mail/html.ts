/** HTML that this module built. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | Html | readonly Html[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A template in which every string is escaped as text, in an element or in a quoted attribute. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const rest = parts.map((part, i) => textOf(part) + literals[i + 1]!)
  return new Html(literals[0]! + rest.join(''))
}

function textOf(part: Part): string {
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (character) => ESCAPES[character]!)
  return part instanceof Html ? part.text : part.map(({ text }) => text).join('')
}
