import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

const require = createRequire(import.meta.url)
const CORE = '@mantine/core'
const SHEETS = path.dirname(require.resolve(`${CORE}/styles/global.css`))

const IMPORTS = /^import (?:type )?(\w+|\{[^}]*\}) from ["']([^"']+)["'];?$/gm
/** `Menu.Item`, in a source or where the library hangs a part onto a component. */
const PARTS = /\b[A-Z]\w+\.[A-Z]\w+\b/g

interface Imported {
  /** As they are called where they are imported from, and here. */
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

/** The file of each name that a package exports. */
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
 * Which style sheets of the library the components in these sources need, those of the components that they are built on
 * too. A part such as `Checkbox.Card` counts where a source uses it: each component carries all of its parts along.
 * @returns names as in `@mantine/core/styles/<name>.css`, each with the component that it is needed for
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

/** The files of what a file of the library uses. */
function filesFor(file: string, usedParts: ReadonlySet<string>): readonly string[] {
  const source = readFileSync(file, 'utf8')
  return importsOf(source).flatMap(({ names, from }) => {
    const used = names.filter(({ here }) => isUsed(here, source, usedParts))
    if (from.startsWith('.')) return used.length === 0 ? [] : [path.join(path.dirname(file), from)]
    return used.flatMap(({ there }) => EXPORTS[from]?.get(there) ?? [])
  })
}

/** Whether more is done with a name than hanging it onto a component as a part that nobody uses. */
function isUsed(called: string, source: string, usedParts: ReadonlySet<string>): boolean {
  const name = called.replaceAll('$', '\\$')
  const body = source.replace(IMPORTS, '')
  const hung = [...body.matchAll(new RegExp(`^(\\w+\\.\\w+) = ${name};$`, 'gm'))]
  const uses = body.match(new RegExp(`(?<![.\\w$])${name}(?![\\w$"])`, 'g'))?.length ?? 0
  return uses > hung.length || hung.some(([, part = '']) => usedParts.has(part))
}
