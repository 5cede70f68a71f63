/** Text from people is cut to the length of a URL. */
const MAX_LENGTH = 2_048
const MAX_SUBJECT_LENGTH = 150

/** Control characters, and the separators that some programs treat as line breaks. */
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu
/** These change the reading direction of other text: `moc.elpmaxe` could be made to look like `example.com`. */
const BIDI_CONTROL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Text from other people as one line, without misleading characters. */
export function shown(text: string): string {
  return shortened(text.replace(CONTROL, ' ').replace(BIDI_CONTROL, '\ufffd').trim(), MAX_LENGTH)
}

export function shownInSubject(text: string): string {
  return shortened(shown(text), MAX_SUBJECT_LENGTH)
}

function shortened(text: string, max: number): string {
  const characters = [...text]
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}
