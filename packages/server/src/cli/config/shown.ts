import type { Setting } from './setting.ts'

/** Stands where a secret is not shown. */
const MASK = '********'

/** The text of a setting for people and logs, without its secrets. */
export function shownText(
  { secret, parse }: Pick<Setting<unknown>, 'secret' | 'parse'>,
  text: string,
): string {
  if (secret === 'whole') return MASK
  // Where in a URL that is none the password stands cannot be told.
  return secret === 'password' && !canParse(parse, text) ? MASK : withoutPasswords(text)
}

/** Up to the last `@`: rather too much of what is not a URL as it should be than too little. */
const withoutPasswords = (text: string): string =>
  text
    .replace(/(:\/\/[^:/@]*):.*@/s, `$1:${MASK}@`)
    // What stands alone before the `@` is often a token.
    .replace(/(https?:\/\/)[^:/@]+@/i, `$1${MASK}@`)
    .replace(/([?&][^=&]*(?:pass|secret|token)[^=&]*=)[^&]*/gi, `$1${MASK}`)

function canParse(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}
