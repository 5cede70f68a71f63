/** A part of a template: text as it is, or the name of what stands there. */
export type Part<Name extends string = string> = string | { readonly name: Name }

/** What is wrong with a template, in words that complete "… {mistake}". */
export interface TemplateMistake {
  readonly mistake: string
}

/** Reads a template of text and `{placeholders}`. `{{` stands for a brace. */
export function readTemplate<Name extends string>(
  text: string,
  allowed: readonly Name[],
): readonly Part<Name>[] | TemplateMistake {
  const parts: Part<Name>[] = []
  let literal = ''
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== '{') {
      literal += text[at]
      continue
    }
    if (text[at + 1] === '{') {
      literal += '{'
      at += 1
      continue
    }
    const end = text.indexOf('}', at)
    if (end === -1) return { mistake: `has a { at character ${at + 1} without a }; write {{ for a brace` }
    const name = allowed.find((one) => one === text.slice(at + 1, end))
    if (name === undefined) {
      const known = allowed.map((one) => `{${one}}`).join(', ')
      return { mistake: `has the unknown placeholder ${text.slice(at, end + 1)}; there are ${known}` }
    }
    if (literal !== '') parts.push(literal)
    literal = ''
    parts.push({ name })
    at = end
  }
  if (literal !== '') parts.push(literal)
  return parts
}

export function isMistake<Name extends string>(
  read: readonly Part<Name>[] | TemplateMistake,
): read is TemplateMistake {
  return 'mistake' in read
}

/** The placeholders in it, in order. */
export function namesIn<Name extends string>(parts: readonly Part<Name>[]): Name[] {
  return parts.flatMap((part) => (typeof part === 'string' ? [] : [part.name]))
}

/** What stands before and after the one signature of an `each` template; `null`: there is not one. */
export function aroundSignature(each: string): { readonly before: string; readonly after: string } | null {
  const [before, after, more] = each.split('{signature}').map((text) => text.replaceAll('{{', '{'))
  return before === undefined || after === undefined || more !== undefined ? null : { before, after }
}
