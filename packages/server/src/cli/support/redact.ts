/** Stands where something was taken out. */
const REMOVED = '[removed]'

interface Credential {
  /** For people. */
  readonly name: string
  readonly pattern: RegExp
  readonly replacement: string
}

/**
 * What looks like a credential, whoever issued it. Each pattern begins where a word does and reads a word once, so that a long line
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
    pattern: /(?<![A-Za-z0-9])(bearer(?:\s|%20)+)[\w.~+/=-]{8,}/gi,
    replacement: `$1${REMOVED}`,
  },
  {
    name: 'HTTP basic credentials',
    pattern: /(?<![A-Za-z0-9])(basic(?:\s|%20)+)[A-Za-z0-9+/=]{16,}/gi,
    replacement: `$1${REMOVED}`,
  },
  {
    name: 'a key, token or link of Posthorn',
    pattern: /(?<![A-Za-z0-9])ph[a-z]_[A-Za-z0-9_-]{16,}/g,
    replacement: REMOVED,
  },
  {
    name: 'a signing secret',
    pattern: /(?<![A-Za-z0-9])wh(?:sec|sk)_[A-Za-z0-9+/=_-]{8,}/g,
    replacement: REMOVED,
  },
  {
    name: 'a private key',
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
    replacement: REMOVED,
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
    pattern: /(?<![a-z0-9+.-])([a-z][a-z0-9+.-]{0,20}:\/\/[^\s?"'\\<>]+)\?(?!\[removed\])[^\s"'\\<>)]+/gi,
    replacement: `$1?${REMOVED}`,
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
  const credentials = CREDENTIALS.flatMap(({ name, pattern }) => (text.match(pattern) ?? []).map(() => name))
  const rules: readonly PrivateText[] = [...CREDENTIALS, ...PRIVATE]
  return {
    text: rules.reduce((rest, { pattern, replacement }) => rest.replace(pattern, replacement), text),
    credentials,
  }
}
