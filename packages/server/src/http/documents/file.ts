import { createHash } from 'node:crypto'
import type { Slice } from '../shared/bodies/turns.ts'

/** A document as it is served. */
export interface File {
  readonly bytes: Buffer
  readonly etag: string
  readonly contentType: string
}

export async function fileOf(path: string, document: object, slice: Slice): Promise<File> {
  const hash = createHash('sha256')
  const pieces: Buffer[] = []
  for (const text of jsonPieces(document, 0)) {
    const piece = Buffer.from(text)
    hash.update(piece)
    pieces.push(piece)
    if (slice.isOver) await slice.next()
  }
  hash.update('\n')
  return {
    bytes: Buffer.concat([...pieces, Buffer.from('\n')]),
    etag: `"${hash.digest('base64url')}"`,
    contentType: path.startsWith('/schemas/') ? 'application/schema+json' : 'application/json',
  }
}

/** A page as it is served. */
export function pageOf(text: string): File {
  const bytes = Buffer.from(text)
  return {
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
    contentType: 'text/markdown; charset=utf-8',
  }
}

/** Levels whose members are written one by one: schemas stand at `/components/schemas/{name}`. */
const SPLIT_LEVELS = 3

/** The text of `JSON.stringify(value, null, 2)`, in pieces between which a build can pause. */
function* jsonPieces(value: unknown, level: number): Generator<string> {
  const indent = '  '.repeat(level)
  if (level === SPLIT_LEVELS || typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)
    return
  }
  let before = '{'
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    yield `${before}\n${indent}  ${JSON.stringify(name)}: `
    yield* jsonPieces(member, level + 1)
    before = ','
  }
  yield before === '{' ? '{}' : `\n${indent}}`
}
