import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkOf } from '../../src/docs/checks.ts'
import { curlRequest } from '../../src/docs/curl.ts'
import { allBlocks, type Block, inlineCodeOf, PAGES, placeOf, ROOT } from '../../src/docs/pages.ts'
import { requestMistake } from '../../src/docs/requests.ts'
import { commandsIn, type ShellCommand } from '../../src/docs/shell.ts'
import { callMistake, knownVariables } from '../../src/docs/usage.ts'

/** Programs of other projects, which these pages tell readers to use. */
const OTHERS =
  'awk cat cd chmod chronyc cut date df dmesg docker du echo env export grep head helm install kill kubectl nc node npm npx openssl pg_dump pg_restore pgrep printf psql rm sed sort ss systemctl tail timedatectl uniq unset'.split(
    ' ',
  )
const PREFIXES = /^(apps|deploy|docs|harness|ops|packages|tools)\//
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

const blocks = allBlocks().filter((block) => checkOf(block) === 'commands')

/** Of a recorded session only what was typed, the rest is output. */
const scriptOf = ({ info, text }: Block) =>
  info === 'console'
    ? text
        .split('\n')
        .filter((line) => /^(\$|replay:) /.test(line))
        .map((line) => line.slice(line.indexOf(' ') + 1))
        .join('\n')
    : text

/** The call of `posthorn` in a command, also within a container or with another environment. */
function posthornIn({ name, args }: ShellCommand): readonly string[] | null {
  if (path.basename(name) === 'posthorn') return args
  const at = args.lastIndexOf('posthorn')
  const wraps =
    name === 'env' || (name === 'docker' && args.includes('exec') && at > args.indexOf('exec') + 1)
  return wraps && at !== -1 ? args.slice(at + 1) : null
}

async function mistakesIn(block: Block): Promise<readonly string[]> {
  const own = [...block.text.matchAll(/^(\w+)\(\) /gm)].map(([, name]) => name!)
  const commands = commandsIn(scriptOf(block))
  const found = await Promise.all(
    commands.map(async (command) => {
      const call = posthornIn(command)
      if (call !== null) return call[0] === '$@' ? null : callMistake(call)
      if (command.name === 'curl') return curlMistake(command.args)
      if (command.name === 'npm' && command.args[0] === 'run' && !(command.args[1]! in scripts))
        return `no script ${command.args[1]}`
      const isKnown = command.name === '' || [...OTHERS, ...own].includes(command.name)
      return isKnown ? null : `no known program ${command.name}`
    }),
  )
  const variables = await knownVariables()
  const unknown = commands
    .flatMap(({ sets }) => sets)
    .filter((name) => name.startsWith('POSTHORN_') && !variables.has(name))
  const files = commands
    .flatMap(({ args }) => args)
    .filter((word) => PREFIXES.test(word) && !existsSync(path.join(ROOT, word)))
  return [
    ...found.filter((mistake) => mistake !== null),
    ...unknown.map((name) => `no variable ${name}`),
    ...files.map((file) => `no file ${file}`),
  ]
}

/** @returns `null` also for requests to other services */
function curlMistake(args: readonly string[]): string | null {
  try {
    const { isOurs, ...sent } = curlRequest(args)
    return isOurs ? requestMistake(sent) : null
  } catch (error) {
    return (error as Error).message
  }
}

describe('commands that cannot run in a test', () => {
  test('name existing commands, flags, variables, scripts, files and routes', async () => {
    expect(blocks.length).toBeGreaterThan(40)
    const mistakes = await Promise.all(
      blocks.map(async (block) =>
        (await mistakesIn(block)).map((mistake) => `${placeOf(block)}: ${mistake}`),
      ),
    )
    expect(mistakes.flat()).toEqual([])
  })

  test('name existing commands and flags within sentences', async () => {
    const calls = PAGES.flatMap(inlineCodeOf).filter(({ text }) => text.startsWith('posthorn '))
    expect(calls.length).toBeGreaterThan(100)
    const mistakes = await Promise.all(
      calls.map(async (call) => {
        const [command] = commandsIn(call.text.replaceAll(/…|<|>/g, ''))
        // A sentence may name a command without its arguments.
        const mistake = await callMistake(command!.args, 'may lack arguments')
        return mistake === null ? [] : [`${placeOf(call)} ${call.text}: ${mistake}`]
      }),
    )
    expect(mistakes.flat()).toEqual([])
  })

  test('name existing routes and query parameters within sentences', () => {
    const requests = PAGES.flatMap(inlineCodeOf).flatMap(({ text, ...place }) => {
      const found = /^(GET|POST|PATCH|PUT|DELETE) (\S+)$/.exec(text)
      return found === null ? [] : [{ ...place, text, method: found[1]!, path: found[2]! }]
    })
    expect(requests.length).toBeGreaterThan(60)
    const mistakes = requests.flatMap((request) => {
      const mistake = requestMistake(request)
      return mistake === null ? [] : [`${placeOf(request)} ${request.text}: ${mistake}`]
    })
    expect(mistakes).toEqual([])
  })
})
