import type { Setting } from './setting.ts'

/** Shown in place of a secret. */
const MASK = '********'

/** The text of a setting for people and logs, without its secrets. */
export function shownText(
  { secret, parse }: Pick<Setting<unknown>, 'secret' | 'parse'>,
  text: string,
): string {
  if (secret === 'whole') return MASK
  // In a text that is not a valid URL, the place of the password is unknown.
  return secret === 'password' && !canParse(parse, text) ? MASK : withoutPasswords(text)
}

/** Up to the last `@`: masking too much is better than too little. */
const withoutPasswords = (text: string): string =>
  text
    .replace(/(:\/\/[^:/@]*):.*@/s, `$1:${MASK}@`)
    // A user name without a password is often a token.
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
