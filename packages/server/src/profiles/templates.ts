/** A parsed template: literal text, and the names of placeholders. */
export type Parts = readonly (string | { readonly name: string })[]

/** What is wrong with a template, in words that complete "… {mistake}". */
export interface TemplateMistake {
  readonly mistake: string
}

/**
 * Reads a template of text and `{placeholders}`. `{{` stands for a brace.
 * @param allowed the placeholders that there are
 */
export function readTemplate(text: string, allowed: readonly string[]): Parts | TemplateMistake {
  const parts: (string | { readonly name: string })[] = []
  let literal = ''
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '{') {
      literal += text[at]
      continue
    }
    if (text[at + 1] === '{') {
      literal += '{'
      at++
      continue
    }
    const end = text.indexOf('}', at)
    if (end === -1) return { mistake: `has a { at character ${at + 1} without a }; write {{ for a brace` }
    const name = text.slice(at + 1, end)
    if (!allowed.includes(name)) {
      const known = allowed.map((one) => `{${one}}`).join(', ')
      return { mistake: `has the unknown placeholder {${name}}; there are ${known}` }
    }
    if (literal !== '') parts.push(literal)
    literal = ''
    parts.push({ name })
    at = end
  }
  if (literal !== '') parts.push(literal)
  return parts
}

export const isMistake = (read: Parts | TemplateMistake): read is TemplateMistake => 'mistake' in read

/** The placeholders in it. */
export const namesIn = (parts: Parts): string[] =>
  parts.flatMap((part) => (typeof part === 'string' ? [] : [part.name]))

/** @throws Error if the template was not checked before */
export function partsOf(text: string, allowed: readonly string[]): Parts {
  const read = readTemplate(text, allowed)
  if (isMistake(read)) throw new Error(`the template ${JSON.stringify(text)} ${read.mistake}`)
  return read
}

/**
 * Creates a function that fills in a template. A template with nothing but one placeholder costs only a call.
 * @param getters the value of each placeholder
 */
export function filler<Input>(
  parts: Parts,
  getters: Readonly<Record<string, (input: Input) => string>>,
): (input: Input) => string {
  const steps = parts.map((part) => (typeof part === 'string' ? () => part : getters[part.name]!))
  const [first, second] = steps
  if (first === undefined) return () => ''
  if (second === undefined) return first
  return (input) => {
    let text = ''
    for (const step of steps) text += step(input)
    return text
  }
}
