import fc from 'fast-check'

/** Damage to a body below the level of JSON values. */
const DAMAGES: Readonly<Record<string, (text: string, at: number) => string | Buffer>> = {
  'cut off': (text, at) => text.slice(0, at),
  'a character too many': (text, at) => `${text.slice(0, at)},${text.slice(at)}`,
  'a byte that is no UTF-8': (text, at) =>
    Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from([0xc3, 0x28]), Buffer.from(text.slice(at))]),
  'a surrogate in UTF-8': (text) =>
    Buffer.concat([Buffer.from('"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(text)]),
  'a raw control character': (text, at) => `${text.slice(0, at)}\u0001${text.slice(at)}`,
  'a byte order mark': (text) => `\ufeff${text}`,
  'UTF-16': (text) => Buffer.from(text, 'utf16le'),
  'a member twice': (text) => text.replace(/^\{("[^"]*":)/, '{$1null,$1'),
  'a comment': (text) => `/* */${text}`,
  'a trailing comma': (text) => text.replace(/\}$/, ',}'),
  'single quotes': (text) => text.replaceAll('"', "'"),
  'not a number': (text) => text.replace(/\d+|"[^"]*"$|null/, 'NaN'),
  'a number beyond all': (text) => text.replace(/\d+|null/, '1e999'),
  'a number of many digits': (text) => text.replace(/\d+|null/, '9'.repeat(400)),
  'more than one value': (text) => text + text,
  'deep nesting': (text) => `${'['.repeat(20_000)}${text}`,
  'deep nesting that ends': (text) => `${'{"a":['.repeat(5_000)}${text}${']}'.repeat(5_000)}`,
  nothing: () => '',
  blanks: () => ' \n\t ',
  'a form': () => 'url=https%3A%2F%2Fexample.com&events=plan.ready',
  'escaped member names': (text) =>
    text.replace(/"([a-z])/, (_, letter: string) => `"\\u00${letter.charCodeAt(0).toString(16)}`),
  'a poisoned prototype': (text) => text.replace(/^\{/, '{"__proto__":{"a":1},"\\u005f_proto__":1,'),
}

export interface Damage {
  readonly kind: string
  readonly at: number
}

export const damages: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom(...Object.keys(DAMAGES)),
  at: fc.nat(10_000),
})

export const damaged = (text: string, { kind, at }: Damage): Buffer =>
  Buffer.from(DAMAGES[kind]!(text, at % (text.length + 1)))
