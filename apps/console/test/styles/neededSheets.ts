import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const require = createRequire(import.meta.url)
const CORE = '@mantine/core'
const SHEETS = path.dirname(require.resolve(`${CORE}/styles/global.css`))

const IMPORTS = /^import (?:type )?(\w+|\{[^}]*\}) from ["']([^"']+)["'];?$/gm
/** `Menu.Item`, used in a source or assigned to a component by the library. */
const PARTS = /\b[A-Z]\w+\.[A-Z]\w+\b/g

interface Imported {
  /** The imported name, and the local name. */
  readonly names: readonly { readonly there: string; readonly here: string }[]
  readonly from: string
}

const importsOf = (source: string): readonly Imported[] =>
  [...source.matchAll(IMPORTS)].map(([, names = '', from = '']) => ({ names: namesOf(names), from }))

const namesOf = (list: string): Imported['names'] =>
  list
    .replace(/[{}]/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => {
      const [there = '', here = there] = name.split(' as ')
      return { there, here }
    })

/** The source file of each name that a package exports. */
function exportsOf(name: string): ReadonlyMap<string, string> {
  const index = path.join(path.dirname(require.resolve(name)), '../esm/index.mjs')
  const own = importsOf(readFileSync(index, 'utf8')).filter(({ from }) => from.startsWith('.'))
  return new Map(
    own.flatMap(({ names, from }) =>
      names.map(({ here }) => [here, path.join(path.dirname(index), from)] as const),
    ),
  )
}

const EXPORTS: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  [CORE]: exportsOf(CORE),
  '@mantine/notifications': exportsOf('@mantine/notifications'),
}

/**
 * The library style sheets that the components in these sources need, including those of the components they
 * are built on. A part such as `Checkbox.Card` counts where a source uses it, since each component carries
 * all of its parts.
 * @returns names as in `@mantine/core/styles/<name>.css`, each with the component that needs it
 */
export function neededSheets(sources: readonly string[]): ReadonlyMap<string, string> {
  const usedParts = new Set(sources.flatMap((source) => source.match(PARTS) ?? []))
  const needed = new Map<string, string>()
  const walked = new Set<string>()
  const walk = (file: string, component: string): void => {
    if (walked.has(file)) return
    walked.add(file)
    for (const next of filesFor(file, usedParts)) {
      if (!next.endsWith('.module.mjs')) walk(next, component)
      else if (hasSheet(next)) needed.set(sheetOf(next), component)
    }
  }
  for (const { names, from } of sources.flatMap(importsOf)) {
    for (const { there } of names) {
      const file = EXPORTS[from]?.get(there)
      if (file !== undefined) walk(file, there)
    }
  }
  return needed
}

const sheetOf = (module: string) => path.basename(module, '.module.mjs')
const hasSheet = (module: string) => existsSync(path.join(SHEETS, `${sheetOf(module)}.css`))

/** The files that a file of the library depends on. */
function filesFor(file: string, usedParts: ReadonlySet<string>): readonly string[] {
  const source = readFileSync(file, 'utf8')
  return importsOf(source).flatMap(({ names, from }) => {
    const used = names.filter(({ here }) => isUsed(here, source, usedParts))
    if (from.startsWith('.')) return used.length === 0 ? [] : [path.join(path.dirname(file), from)]
    return used.flatMap(({ there }) => EXPORTS[from]?.get(there) ?? [])
  })
}

/** Whether a name is used for more than attaching it to a component as an unused part. */
function isUsed(called: string, source: string, usedParts: ReadonlySet<string>): boolean {
  const name = called.replaceAll('$', '\\$')
  const body = source.replace(IMPORTS, '')
  const hung = [...body.matchAll(new RegExp(`^(\\w+\\.\\w+) = ${name};$`, 'gm'))]
  const uses = body.match(new RegExp(`(?<![.\\w$])${name}(?![\\w$"])`, 'g'))?.length ?? 0
  return uses > hung.length || hung.some(([, part = '']) => usedParts.has(part))
}
