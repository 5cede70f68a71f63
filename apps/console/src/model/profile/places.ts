import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

/** A range of a text. */
interface Place {
  readonly from: number
  readonly to: number
  /** From 1. */
  readonly line: number
}

/** An error or warning at a location in a profile. */
export interface Remark {
  readonly kind: 'error' | 'warning'
  /** RFC 6901; empty: the whole profile. */
  readonly pointer: string
  readonly message: string
}

export type PlacedRemark = Remark & Place

/** The first JSON syntax error of a text; `null`: valid JSON. */
export function syntaxMistake(text: string): PlacedRemark | null {
  const mistakes: ParseError[] = []
  const root = parseTree(text, mistakes, { disallowComments: true, allowTrailingComma: false })
  const [first] = mistakes
  if (first === undefined && root !== undefined) return null
  const from = Math.min(first?.offset ?? 0, text.length)
  const to = Math.min(from + Math.max(first?.length ?? 0, 1), text.length)
  return {
    ...{ kind: 'error', pointer: '', message: notJson(first) },
    ...placeAt(text, from, to),
  }
}

/** Locates remarks in a text, in order. A remark about a missing member is placed at its parent. */
export function placed(text: string, remarks: readonly Remark[]): readonly PlacedRemark[] {
  const root = parseTree(text)
  return remarks
    .map((remark) => ({ ...remark, ...placeOf(text, root, remark.pointer) }))
    .sort((a, b) => a.from - b.from)
}

function placeOf(text: string, root: Node | undefined, pointer: string): Place {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  for (let length = steps.length; root !== undefined && length > 0; length--) {
    const node = nodeAt(root, steps.slice(0, length))
    if (node === undefined) continue
    const found = length < steps.length ? firstToken(node) : node
    const { offset } = node.parent?.type === 'property' ? node.parent : found
    return placeAt(text, offset, Math.max(found.offset + found.length, offset))
  }
  const start = root?.offset ?? 0
  return placeAt(text, start, Math.min(start + 1, text.length))
}

function nodeAt(root: Node, steps: readonly string[]): Node | undefined {
  let node: Node | undefined = root
  for (const step of steps) {
    if (node === undefined) return undefined
    node = findNodeAtLocation(node, [node.type === 'array' ? Number(step) : step])
  }
  return node
}

/** The opening bracket. Marking a whole object for a missing member would hide other marks in it. */
const firstToken = ({ offset }: Node) => ({ offset, length: 1 })

const placeAt = (text: string, from: number, to: number): Place => ({
  ...{ from, to },
  line: text.slice(0, from).split('\n').length,
})

/** `CommaExpected` → `is not JSON: expected comma`. */
function notJson(mistake: ParseError | undefined): string {
  const code = mistake === undefined ? 'ValueExpected' : printParseErrorCode(mistake.error)
  const words = code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  const expected = /^(.*) expected$/.exec(words)
  return expected === null ? `is not JSON: ${words}` : `is not JSON: expected ${expected[1]}`
}
