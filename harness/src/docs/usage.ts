import { runPosthorn } from '../support/posthorn.ts'

/** What the help of a command says. */
interface Usage {
  readonly subcommands: readonly string[]
  /** Flags, and whether a value follows. */
  readonly flags: ReadonlyMap<string, boolean>
  /** How many arguments it needs, and how many it may have. */
  readonly least: number
  readonly most: number
  readonly variables: readonly string[]
}

const known = new Map<string, Promise<Usage>>()
let latest: Promise<unknown> = Promise.resolve()

/**
 * Reads one after the other: all at once would each take too long.
 * @param command words, such as `key create`
 */
function usageOf(command: readonly string[]): Promise<Usage> {
  const name = command.join(' ')
  const words = [...command]
  const usage = known.get(name) ?? latest.catch(() => undefined).then(() => readUsage(words))
  if (!known.has(name)) latest = usage
  known.set(name, usage)
  return usage
}

async function readUsage(command: readonly string[]): Promise<Usage> {
  const { code, stdout } = await runPosthorn([...command, '--help'])
  if (code !== 0) throw new Error(`posthorn ${command.join(' ')} --help exits with ${code}`)
  const lines = stdout.split('\n')
  const own = lines[0]!.split(' ').slice(2 + command.length)
  const subcommands = own.includes('[command]')
  const args = own.filter((word) => !['[options]', '[command]'].includes(word))
  const needed = args.filter((word) => word.startsWith('<'))
  return {
    subcommands: subcommands ? entriesOf(lines, 'Commands:').map((entry) => entry[0]!) : [],
    flags: new Map(entriesOf(lines, 'Options:').flatMap(flagsOf)),
    least: needed.length,
    most: args.some((word) => word.includes('...')) ? Number.POSITIVE_INFINITY : args.length,
    variables: stdout.match(/POSTHORN_[A-Z_]+/g) ?? [],
  }
}

/** The entries below a heading, as words. Continued lines are indented further. */
function entriesOf(lines: readonly string[], heading: string): readonly (readonly string[])[] {
  const start = lines.indexOf(heading) + 1
  if (start === 0) return []
  const end = lines.indexOf('', start)
  return lines
    .slice(start, end === -1 ? undefined : end)
    .filter((line) => /^ {2}\S/.test(line))
    .map((line) => line.trim().split(' '))
}

/** `-h, --help` and `--name <name>`. */
function flagsOf(words: readonly string[]): readonly (readonly [string, boolean])[] {
  const flags = words.slice(0, words.indexOf('')).filter((word) => word !== '')
  const takesValue = flags.some((word) => word.startsWith('<'))
  return flags
    .filter((word) => word.startsWith('-'))
    .map((word) => [word.replace(',', ''), takesValue] as const)
}

/** Variables of settings that any command reads. */
export async function knownVariables(): Promise<ReadonlySet<string>> {
  const usages = await Promise.all([['serve'], ['outbox', 'relay'], ['workspace', 'create']].map(usageOf))
  return new Set(usages.flatMap(({ variables }) => variables))
}

/** What is wrong with a call of `posthorn`; `null`: nothing. */
export async function callMistake(
  args: readonly string[],
  lenience?: 'may lack arguments',
): Promise<string | null> {
  const command: string[] = []
  let usage = await usageOf(command)
  let rest = args
  while (usage.subcommands.length > 0 && rest[0] !== undefined && !rest[0].startsWith('-')) {
    const [word] = rest
    if (!usage.subcommands.includes(word!)) return `no command ${[...command, word].join(' ')}`
    command.push(word!)
    usage = await usageOf(command)
    rest = rest.slice(1)
  }
  return wordsMistake(rest, lenience === undefined ? usage : { ...usage, least: 0 })
}

function wordsMistake(words: readonly string[], { flags, least, most }: Usage): string | null {
  const isFlag = (word: string) => word.startsWith('-') && word !== '-'
  const unknown = words.filter((word) => isFlag(word) && !flags.has(word.split('=')[0]!))
  if (unknown.length > 0) return `no flag ${unknown.join(', ')}`
  const isValue = (i: number) => i > 0 && flags.get(words[i - 1]!) === true
  const given = words.filter((word, i) => !isFlag(word) && !isValue(i)).length
  return given < least || given > most ? `${given} arguments instead of ${least} to ${most}` : null
}
