import { readFileSync } from 'node:fs'
import jsonc, { type Node, type ParseError } from 'jsonc-parser'
import { checkProfile, type ProfileCheck } from '../../profiles/check.ts'
import type { Profile } from '../../profiles/profile.ts'
import type { InputError } from '../../validation/inputErrors.ts'
import { SettingError } from '../settings.ts'

/** A remark about a place in a file. */
export interface Remark {
  /** From 1. */
  readonly line: number
  readonly column: number
  /** RFC 6901; `null`: the file is no JSON. */
  readonly pointer: string | null
  readonly message: string
}

interface ReadProfile {
  readonly errors: readonly Remark[]
  readonly warnings: readonly Remark[]
  /** `null`: there are errors. */
  readonly profile: ProfileCheck['profile']
}

/** Reads a profile from the text of a file, and locates its errors. */
export function profileIn(text: string): ReadProfile {
  const mistakes: ParseError[] = []
  const root = jsonc.parseTree(text, mistakes, { disallowComments: true, allowTrailingComma: false })
  const [first] = mistakes
  if (root === undefined || first !== undefined) {
    const place = placeOf(text, first?.offset ?? 0)
    return { errors: [{ ...place, pointer: null, message: notJson(first) }], warnings: [], profile: null }
  }
  const { errors, warnings, profile } = checkProfile(JSON.parse(text))
  return { errors: remarks(text, root, errors), warnings: remarks(text, root, warnings), profile }
}

/** Finds the places of errors in the text of a JSON file. */
export const placesIn = (text: string, mistakes: readonly InputError[]): readonly Remark[] =>
  remarks(text, jsonc.parseTree(text)!, mistakes)

const remarks = (text: string, root: Node, found: readonly InputError[]): readonly Remark[] =>
  found.map(({ pointer, message }) => ({ ...placeOf(text, offsetOf(root, pointer)), pointer, message }))

/** `CommaExpected` → `is not JSON: expected comma`. */
function notJson(mistake: ParseError | undefined): string {
  const code = mistake === undefined ? 'ValueExpected' : jsonc.printParseErrorCode(mistake.error)
  const words = code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  const expected = /^(.*) expected$/.exec(words)
  return expected === null ? `is not JSON: ${words}` : `is not JSON: expected ${expected[1]}`
}

function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}

/** The place of a value, or of the nearest existing one around it. */
function offsetOf(root: Node, pointer: string): number {
  const steps = pointer.split('/').slice(1).map(unescaped)
  for (let length = steps.length; length > 0; length--) {
    const node = nodeAt(root, steps.slice(0, length))
    if (node !== undefined) return (node.parent?.type === 'property' ? node.parent : node).offset
  }
  return root.offset
}

function nodeAt(root: Node, steps: readonly string[]): Node | undefined {
  let node: Node | undefined = root
  for (const name of steps)
    node = node && jsonc.findNodeAtLocation(node, [node.type === 'array' ? Number(name) : name])
  return node
}

const unescaped = (name: string) => name.replaceAll('~1', '/').replaceAll('~0', '~')

/** Reads a file with a profile, and prints warnings about it. @throws SettingError that names every mistake in the file */
export function readProfile(file: string): { readonly text: string; readonly profile: Profile } {
  const text = readFile(file)
  const { errors, warnings, profile } = profileIn(text)
  if (profile === null) throw new SettingError(errors.map((one) => lineOf(file, 'error', one)).join('\n'))
  for (const one of warnings) process.stderr.write(`${lineOf(file, 'warning', one)}\n`)
  return { text, profile }
}

export const lineOf = (file: string, kind: string, { line, column, pointer, message }: Remark) =>
  `${file}:${line}:${column}: ${kind}: ${pointer === null || pointer === '' ? 'the file' : pointer} ${message}`

/** @throws SettingError */
export function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    throw new SettingError(`cannot read ${file}: ${(error as Error).message}`)
  }
}
