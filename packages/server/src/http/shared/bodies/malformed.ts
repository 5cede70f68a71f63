import { Problem } from '../problems.ts'

/** Where a parser stopped: at a character, at the end of the text, or it did not say. */
type Broken = number | 'end' | null

/** @param error of `JSON.parse`; only its position is used, since the message may quote the body */
function brokenAt(error: unknown, length: number): Broken {
  if (!(error instanceof SyntaxError)) return null
  const position = /at position (\d+)/.exec(error.message)?.[1]
  if (error.message.includes('end of JSON input') || Number(position) >= length) return 'end'
  return position === undefined ? null : Number(position)
}

/** The problem for a text that `JSON.parse` rejected. */
export function malformedText(text: string, error: unknown): Problem {
  const broken = brokenAt(error, text.length)
  if (typeof broken !== 'number') return malformed(broken)
  const before = text.slice(0, broken).split('\n')
  return malformed({ line: before.length, column: before.at(-1)!.length + 1 })
}

/** A piece of a text and where in the body it begins. */
export interface Segment {
  readonly text: string
  /** A byte of the body; `null`: it stands for something else. */
  readonly from: number | null
}

/**
 * The refusal of a body that was parsed in pieces: of one that reads as `segments` do together, where texts that are not
 * broken have others in their place.
 * @param start the first byte of the body's text
 */
export function malformedSegments(body: Buffer, start: number, segments: readonly Segment[]): Problem {
  const text = segments.map((segment) => segment.text).join('')
  let broken: Broken = null
  try {
    JSON.parse(text)
  } catch (error) {
    broken = brokenAt(error, text.length)
  }
  if (typeof broken !== 'number') return malformed(broken)
  let left = broken
  for (const { text: piece, from } of segments) {
    if (left < piece.length) {
      return malformed(from === null ? null : placeIn(body, start, from + byteLength(piece, left)))
    }
    left -= piece.length
  }
  return malformed('end')
}

const byteLength = (text: string, characters: number) => Buffer.byteLength(text.slice(0, characters))

const NEWLINE = 0x0a

function placeIn(body: Buffer, start: number, offset: number): Place {
  let line = 1
  let lineStart = start
  for (let at = body.indexOf(NEWLINE, start); at >= 0 && at < offset; at = body.indexOf(NEWLINE, at + 1)) {
    line += 1
    lineStart = at + 1
  }
  return { line, column: body.toString('utf8', lineStart, offset).length + 1 }
}

interface Place {
  readonly line: number
  readonly column: number
}

function malformed(place: Place | 'end' | null): Problem {
  const where =
    place === null
      ? ''
      : place === 'end'
        ? ': it ends before the JSON is complete'
        : `: the error is at line ${place.line}, column ${place.column}`
  return new Problem('malformed_json', `The request body is not valid JSON${where}.`)
}
