import type { SentRequest } from './delivery.ts'

/** Linux allows at most 128 KB per argument, so longer bodies are piped. */
const MAX_ARGUMENT_BYTES = 100_000

/** curl sets these from the URL and the body. */
const OWN_HEADERS = new Set(['host', 'content-length'])

/**
 * A command that repeats a request unchanged, for shells that support `$'…'`, such as bash and zsh. The shell treats the
 * whole request as text, and nothing in it affects the terminal.
 */
export function curlCommand({ url, headers }: SentRequest, body: string): string {
  const piped = body.includes('\0') || new TextEncoder().encode(body).length > MAX_ARGUMENT_BYTES
  const lines = [
    `curl${/[[\]{}]/.test(url) ? ' --globoff' : ''} -X POST ${quoted(url)}`,
    ...Object.entries(headers).flatMap(([name, value]) =>
      value === null || OWN_HEADERS.has(name.toLowerCase())
        ? []
        : [`-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`],
    ),
    // Removes the header that curl adds.
    ...(hasHeader(headers, 'accept') ? [] : [`-H 'accept:'`]),
    piped ? '--data-binary @-' : `--data-raw ${quoted(body)}`,
  ]
  const command = lines.join(' \\\n  ')
  return piped ? `printf -- ${printfFormat(body)} | ${command}` : command
}

const hasHeader = (headers: SentRequest['headers'], name: string) =>
  Object.keys(headers).some((key) => key.toLowerCase() === name)

/** Printable text of any language. Control and invisible characters are escaped instead. */
const PLAIN = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u

/** Quotes any text without NUL as one shell word. */
export function quoted(text: string): string {
  if (PLAIN.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  return `$'${spelled(text, { "'": '\\047', '\\': '\\\\' })}'`
}

/** A `printf` format that prints any text, including NUL. */
const printfFormat = (text: string) => `'${spelled(text, { "'": '\\047', '\\': '\\\\', '%': '%%' })}'`

/** Escapes bytes as three octal digits, which all shells parse the same way. */
function spelled(text: string, special: Readonly<Record<string, string>>): string {
  let out = ''
  for (const character of text) {
    out += special[character] ?? (PLAIN.test(character) ? character : octal(character))
  }
  return out
}

const octal = (character: string) =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
