/** Stands where something was taken out. */
const REMOVED = '[removed]'

interface Credential {
  /** For people. */
  readonly name: string
  readonly pattern: RegExp
  readonly replacement: string
}

/**
 * What looks like a credential of any issuer. Each pattern begins where a word does and reads a word once, so that a long line
 * takes no longer than many short ones. None matches what it is replaced with.
 */
export const CREDENTIALS: readonly Credential[] = [
  {
    name: 'a user name or password in a URL',
    pattern: /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,20}:\/\/)(?!\[removed\]@)[^\s/?#"'\\<>]+@/gi,
    replacement: `$1${REMOVED}@`,
  },
  {
    name: 'a bearer token',
    pattern: /(?<![A-Za-z0-9])(bearer(?:\s|%20)+)[\w.~+/=%-]{8,}/gi,
    replacement: `$1${REMOVED}`,
  },
  {
    name: 'HTTP basic credentials',
    pattern: /(?<![A-Za-z0-9])(basic(?:\s|%20)+)[A-Za-z0-9+/=%]{16,}/gi,
    replacement: `$1${REMOVED}`,
  },
  {
    name: 'a key, token or link of Posthorn',
    pattern: /(?<![A-Za-z0-9])ph[a-z]_[A-Za-z0-9_-]{16,}/g,
    replacement: REMOVED,
  },
  {
    name: 'a signing secret',
    pattern: /(?<![A-Za-z0-9])wh(?:sec|sk)_[A-Za-z0-9+/=%_-]{8,}/g,
    replacement: REMOVED,
  },
  {
    name: 'a JSON Web Token',
    pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
    replacement: REMOVED,
  },
  {
    // Its lines may have headers, or each of them a time before it. One whose end is missing is removed as far as a key may reach.
    name: 'a private key',
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:(?!-----(?:BEGIN|END) )[\s\S]){0,16000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
    replacement: REMOVED,
  },
  {
    // The log begins within it.
    name: 'the end of a private key',
    pattern: /^(?:(?!-----BEGIN )[\s\S]){0,16000}-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
    replacement: REMOVED,
  },
  {
    name: 'cookies',
    pattern: /(?<![A-Za-z0-9])(cookie\\?["']?\s{0,9}[:=]\s{0,9}\\?["']?)(?!\[removed\])[^\r\n"'\\]{8,}/gi,
    replacement: `$1${REMOVED}`,
  },
  {
    name: 'a value that is named password, token or key',
    pattern:
      /(?<![A-Za-z0-9])((?:authorization|api[-_]?key|secret|token|password|passwd)\\?["']?\s{0,9}[:=]\s{0,9}\\?["']?(?:[a-z]{1,10}\s)?)(?![\w.%-]*\[removed\])[^\s"'\\,;&<>()[\]{}*]{8,}/gi,
    replacement: `$1${REMOVED}`,
  },
]

interface PrivateText {
  readonly pattern: RegExp
  readonly replacement: string
}

/** What is no secret and no business of those who help: where receivers are beyond their host, and who people are. */
const PRIVATE: readonly PrivateText[] = [
  {
    pattern: /(?<![a-z0-9+.-])(https?:\/\/[^\s/?#"'\\<>]+)[/?#](?!\[removed\])[^\s"'\\<>)]+/gi,
    replacement: `$1/${REMOVED}`,
  },
  {
    pattern:
      /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,20}:\/\/(?:(?!:\/\/)[^\s?"'\\<>])+)\?(?!\[removed\])[^\s"'\\<>)]+/gi,
    replacement: `$1?${REMOVED}`,
  },
  {
    // As in the log of a proxy.
    pattern: /(?<=[\s"'])(\/[^\s?"'\\<>]*\?)(?!\[removed\])[^\s"'\\<>)]+/g,
    replacement: `$1${REMOVED}`,
  },
  { pattern: /(?<![\w.%+-])[\w.%+-]{1,100}@[\w-]+(?:\.[\w-]+)+/g, replacement: '[e-mail address removed]' },
]

interface Redacted {
  readonly text: string
  /** Credentials that were taken out, by what they look like. There should have been none. */
  readonly credentials: readonly string[]
}

/** Takes credentials, paths and queries of web addresses, and e-mail addresses out of a text. JSON stays JSON. */
export function redact(text: string): Redacted {
  const credentials: string[] = []
  let rest = text
  for (const { name, pattern, replacement } of CREDENTIALS) {
    credentials.push(...(rest.match(pattern) ?? []).map(() => name))
    rest = rest.replace(pattern, replacement)
  }
  for (const { pattern, replacement } of PRIVATE) rest = rest.replace(pattern, replacement)
  return { text: rest, credentials }
}
