import type { SentRequest } from './delivery.ts'

/** Linux takes at most 128 KB in one argument; longer bodies come by a pipe. */
const MAX_ARGUMENT_BYTES = 100_000

/** curl says these itself, from the URL and the body. */
const OWN_HEADERS = new Set(['host', 'content-length'])

/**
 * The command that sends a request again as it was sent, for bash, zsh and other shells that know `$'…'`. Whatever is in
 * the request, the shell takes it as text, and nothing in it acts on the terminal that it is pasted into.
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
    // curl adds one that was not sent.
    ...(hasHeader(headers, 'accept') ? [] : [`-H 'accept:'`]),
    piped ? '--data-binary @-' : `--data-raw ${quoted(body)}`,
  ]
  const command = lines.join(' \\\n  ')
  return piped ? `printf -- ${printfFormat(body)} | ${command}` : command
}

const hasHeader = (headers: SentRequest['headers'], name: string) =>
  Object.keys(headers).some((key) => key.toLowerCase() === name)

/** Printable text of any language; controls, and characters that cannot be seen, are spelled out instead. */
const PLAIN = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u

/** One word of a shell, whatever the text holds but NUL. */
export function quoted(text: string): string {
  if (PLAIN.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  return `$'${spelled(text, { "'": '\\047', '\\': '\\\\' })}'`
}

/** A format of `printf` that prints the text, NUL as well. */
const printfFormat = (text: string) => `'${spelled(text, { "'": '\\047', '\\': '\\\\', '%': '%%' })}'`

/** Each byte of what is not printable as three octal digits: the one spelling that ends where all shells end it. */
function spelled(text: string, special: Readonly<Record<string, string>>): string {
  let out = ''
  for (const character of text) {
    out += special[character] ?? (PLAIN.test(character) ? character : octal(character))
  }
  return out
}

const octal = (character: string) =>
  Array.from(new TextEncoder().encode(character), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
