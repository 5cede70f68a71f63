import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { lazy } from '../../core/lazy.ts'
import type { Slice } from '../shared/bodies/turns.ts'

/** A document as it is served. */
export interface File {
  readonly bytes: Buffer
  /** `bytes` for clients that accept gzip, compressed once: documents have up to 1 MB, and a tenth of that compressed. */
  readonly gzipped: () => Promise<Buffer>
  /** Weak, since it is the same for both forms. */
  readonly etag: string
  readonly contentType: string
}

const file = (bytes: Buffer, hash: string, contentType: string): File => ({
  bytes,
  gzipped: lazy(() => promisify(gzip)(bytes)),
  etag: `W/"${hash}"`,
  contentType,
})

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
  const contentType = path.startsWith('/schemas/') ? 'application/schema+json' : 'application/json'
  return file(Buffer.concat([...pieces, Buffer.from('\n')]), hash.digest('base64url'), contentType)
}

/** A page as it is served. */
export function pageOf(text: string): File {
  const bytes = Buffer.from(text)
  return file(bytes, createHash('sha256').update(bytes).digest('base64url'), 'text/markdown; charset=utf-8')
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
