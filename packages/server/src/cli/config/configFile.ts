import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLError } from 'yaml'
import { SETTINGS } from '../settings.ts'
import { nearestOf } from './nearest.ts'
import { isOfService } from './servicesValues.ts'
import { fileOfSecret, flagOf, type Setting } from './setting.ts'
import type { Given } from './source.ts'
import { readTextFile } from './textFile.ts'

/** A wrong, huge file must not delay a service that reloads its settings. */
const MAX_BYTES = 128 * 1024
/** More of them usually mean that it is another kind of file. */
const MAX_MISTAKES = 20

/** Used instead of messages of the library that repeat the text, which may contain a secret. */
const MISTAKES: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  TAG_RESOLVE_FAILED: 'put a value that begins with ! in quotes',
  BAD_COLLECTION_TYPE: 'put a value that begins with ! in quotes',
  BAD_DIRECTIVE: 'remove the line that begins with %',
  BAD_DQ_ESCAPE: 'put the value in single quotes, or write \\\\ for a backslash',
  UNEXPECTED_TOKEN: 'put the value in quotes; it contains characters with a special meaning in YAML',
}

/** The content of a configuration file. */
interface ConfigFile {
  readonly path: string
  /** By variable. */
  readonly values: ReadonlyMap<string, Given>
  /** A line for each, with its place in the file. */
  readonly mistakes: readonly string[]
  readonly hasSecrets: boolean
  /** In octal, when others than its owner and group may read it; `null` when not. */
  readonly openMode: string | null
}

/** All settings that a file may have, by key. */
const KEYS: ReadonlyMap<string, Pick<Setting<unknown>, 'variable' | 'isList' | 'secret'>> = new Map(
  Object.values(SETTINGS as Record<string, Setting<unknown>>)
    .filter(({ variable }) => variable !== SETTINGS.configFile.variable)
    .flatMap((setting) => [
      [flagOf(setting), setting] as const,
      ...(setting.secret === undefined
        ? []
        : [[flagOf(fileOfSecret(setting)), fileOfSecret(setting)] as const]),
    ]),
)

/** @throws Error whose message says in one line why the file cannot be read */
export function readConfigFile(path: string): ConfigFile {
  const { text, openMode } = readTextFile(path, MAX_BYTES)
  const lines = new LineCounter()
  // The library compares all pairs of keys; the reader finds duplicate keys itself.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const reader = new Reader(path, lines)
  for (const { code, message, pos } of onePerLine([...document.errors, ...document.warnings], lines))
    reader.complain(
      pos[0],
      code === 'MULTIPLE_DOCS'
        ? 'use one YAML document; remove this line'
        : `not valid YAML: ${MISTAKES[code] ?? message.split('\n', 1)[0]}`,
    )
  if (document.errors.length === 0) reader.readRoot(document.contents)
  return { path, openMode, ...reader }
}

/** Further mistakes in the same line usually follow from the first. */
function onePerLine(errors: readonly YAMLError[], lines: LineCounter): readonly YAMLError[] {
  const seen = new Set<number>()
  return errors.filter(({ pos }) => {
    const { line } = lines.linePos(pos[0])
    return !seen.has(line) && seen.add(line)
  })
}

class Reader {
  readonly values = new Map<string, Given>()
  readonly mistakes: string[] = []
  hasSecrets = false
  readonly #path: string
  readonly #lines: LineCounter
  readonly #names = new Set<string>()

  constructor(path: string, lines: LineCounter) {
    this.#path = path
    this.#lines = lines
  }

  complain(offset: number, what: string): void {
    if (this.mistakes.length > MAX_MISTAKES) return
    if (this.mistakes.length === MAX_MISTAKES)
      return void this.mistakes.push(`${this.#path}: only the first ${MAX_MISTAKES} errors are shown`)
    const { line, col } = this.#lines.linePos(offset)
    this.mistakes.push(`${this.#path}:${line}:${col}: ${what}`)
  }

  readRoot(root: Node | null): void {
    // Empty, or only comments.
    if (root === null || (isScalar(root) && root.value === null)) return
    if (!isMap(root))
      return void this.complain(startOf(root), 'write one setting per line, such as port: 8080')
    for (const { key, value } of root.items) {
      if (this.mistakes.length > MAX_MISTAKES) return
      this.#readPair(key as Node, value as Node | null)
    }
  }

  #readPair(key: Node, value: Node | null): void {
    const name = isScalar(key) ? String(key.value) : null
    if (name === null)
      return void this.complain(startOf(key), 'use the name of a setting as the key, such as port')
    const setting = settingAt(name)
    if (setting === null) return void this.complain(startOf(key), unknownKey(name))
    if (this.#names.has(name))
      return void this.complain(startOf(key), `${name} is set twice; remove one of the two`)
    this.#names.add(name)
    const text = this.#textOf(name, setting, value, startOf(key))
    if (text === null) return
    const { line, col } = this.#lines.linePos(startOf(value ?? key))
    this.values.set(setting.variable, {
      text,
      source: { kind: 'file', file: this.#path, line, column: col },
    })
    if (setting.secret !== undefined) this.hasSecrets = true
  }

  /** @returns the text as in a variable; `null` if there is none, after adding a mistake */
  #textOf(
    name: string,
    { isList }: Pick<Setting<unknown>, 'isList'>,
    value: Node | null,
    offset: number,
  ): string | null {
    if (isSeq(value)) {
      if (isList !== true) return this.#none(startOf(value), `${name}: write one value, not a list`)
      const items = value.items.map((item) => this.#scalarOf(name, item as Node | null, startOf(value)))
      const isWhole = items.every((item, i) => {
        if (item?.includes(',') === true)
          this.complain(
            startOf(value.items[i] as Node),
            `${name}: write each value as its own list item, without commas`,
          )
        return item !== null && !item.includes(',')
      })
      if (items.length === 0) return this.#none(startOf(value), emptyValue(name))
      return isWhole ? items.join(',') : null
    }
    return this.#scalarOf(name, value, offset)
  }

  #scalarOf(name: string, value: Node | null, offset: number): string | null {
    if (isAlias(value))
      return this.#none(startOf(value), `${name}: write the value itself; YAML aliases are not supported`)
    if (value !== null && !isScalar(value))
      return this.#none(startOf(value), `${name}: write one value, not a mapping with keys`)
    // The source text of a number: parsed, it may lose digits or leading zeros.
    const text = typeof value?.value === 'string' ? value.value : (value?.source ?? '')
    const isEmpty = value === null || value.value === null || text === ''
    return isEmpty ? this.#none(value === null ? offset : startOf(value), emptyValue(name)) : text
  }

  #none(offset: number, what: string): null {
    this.complain(offset, what)
    return null
  }
}

const emptyValue = (name: string) =>
  `${name}: the value is empty; set one, or remove the key to use the default`

const startOf = (node: Node): number => node.range?.[0] ?? 0

/** @returns `null` when there is no such key */
function settingAt(name: string): Pick<Setting<unknown>, 'variable' | 'isList' | 'secret'> | null {
  const known = KEYS.get(name)
  if (known !== undefined) return known
  const variable = `POSTHORN_${name.toUpperCase().replaceAll('-', '_')}`
  if (name !== name.toLowerCase() || name.includes('_') || !isOfService(variable)) return null
  return { variable, ...(name.endsWith('-retry') ? { isList: true } : {}) }
}

const SEE_HELP = '; settings are the options of posthorn serve --help, without the leading hyphens'

function unknownKey(name: string): string {
  const [word] = /^[\w.-]{0,60}/.exec(name)!
  // The rest may be a value, and a secret.
  if (name.startsWith('=', word.length)) return `write settings as name: value (got ${word}=…)`
  if (word !== name) return `this key is not the name of a setting${SEE_HELP}`
  const plain = name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^posthorn-/, '')
  const near = KEYS.has(plain) ? plain : nearestOf(plain, [...KEYS.keys()])
  return `${name} is not a setting${near === null ? SEE_HELP : `; did you mean ${near}?`}`
}
