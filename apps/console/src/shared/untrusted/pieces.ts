/** A piece of untrusted text: visible text, or an invisible character shown by its name. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'named'; readonly name: string; readonly character: string }

/**
 * Code points that are invisible or affect the text around them: control characters, bidirectional controls (UAX 9),
 * zero-width characters, line and paragraph separators, variation selectors, fillers, tags and lone surrogates. Line feeds
 * and tabs are allowed.
 */
const HIDDEN: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
]

const isHidden = (code: number) => HIDDEN.some(([from, to]) => code >= from && code <= to)

const PICTURE = '\\p{Extended_Pictographic}(?:\\u{FE0F}|\\p{Emoji_Modifier})?'
/** Emoji sequences contain characters that are invisible on their own: 👩‍💻, ❤️, 1️⃣. */
const EMOJI = new RegExp(`${PICTURE}(?:\\u{200D}${PICTURE})*|[0-9#*]\\u{FE0F}\\u{20E3}`, 'uy')

/** More combining marks on one letter would cover the lines above and below. */
const MARKS_IN_A_ROW = /(\p{M}{3})\p{M}+/gu

export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let run = ''
  const endRun = () => {
    if (run !== '') pieces.push({ kind: 'text', text: run.replace(MARKS_IN_A_ROW, '$1') })
    run = ''
  }
  for (let place = 0; place < text.length; ) {
    EMOJI.lastIndex = place
    const emoji = EMOJI.exec(text)?.[0]
    const character = String.fromCodePoint(text.codePointAt(place)!)
    if (emoji === undefined && isHidden(character.codePointAt(0)!)) {
      endRun()
      pieces.push({ kind: 'named', name: nameOf(character), character })
    } else run += emoji ?? character
    place += (emoji ?? character).length
  }
  endRun()
  return pieces
}

/** One line of plain text, for titles and labels that cannot contain markup. */
export const plainText = (text: string): string =>
  piecesOf(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `[${piece.name}]`))
    .join('')
    .replace(/\s+/g, ' ')

const NAMES: Readonly<Record<number, string>> = {
  0: 'NUL',
  7: 'BEL',
  8: 'BS',
  13: 'CR',
  27: 'ESC',
  127: 'DEL',
  173: 'SHY',
  8203: 'ZWSP',
  8204: 'ZWNJ',
  8205: 'ZWJ',
  8206: 'LRM',
  8207: 'RLM',
  8234: 'LRE',
  8235: 'RLE',
  8236: 'PDF',
  8237: 'LRO',
  8238: 'RLO',
  8294: 'LRI',
  8295: 'RLI',
  8296: 'FSI',
  8297: 'PDI',
  65279: 'BOM',
}

function nameOf(character: string): string {
  const code = character.codePointAt(0)!
  return NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
