/** Anything that people wrote is at most a URL long. */
const MAX_LENGTH = 2_048
const MAX_SUBJECT_LENGTH = 150

/** Control characters, and the separators that some programs take for line ends. */
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu
/** They change the order in which other text is read: `moc.elpmaxe` can be made to look like `example.com`. */
const BIDI_CONTROL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Text that somebody else wrote, in one line that shows what it is. */
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
