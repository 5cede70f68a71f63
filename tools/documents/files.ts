import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The directory of the documents. */
export const DIRECTORY = path.join(import.meta.dirname, '../../docs/api')

/** A file by its name, as if it were alone in a directory; empty if there is none. */
export const readFile = (file: string): ReadonlyMap<string, string> =>
  new Map(existsSync(file) ? [[path.basename(file), readFileSync(file, 'utf8')]] : [])

/** The existing files of a directory, by name. */
export function readFiles(directory: string): ReadonlyMap<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(directory, file).replaceAll(path.sep, '/'), readFileSync(file, 'utf8')]),
  )
}

/** Replaces the directory's content with these files. */
export function writeFiles(directory: string, files: ReadonlyMap<string, string>): void {
  rmSync(directory, { recursive: true, force: true })
  for (const [name, text] of files) {
    const file = path.join(directory, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

/** The kept files that differ from the generated ones. */
export function drift(kept: ReadonlyMap<string, string>, made: ReadonlyMap<string, string>): string[] {
  const missing = [...made.keys()].filter((name) => !kept.has(name)).map((name) => `${name} is missing`)
  const stale = [...kept.keys()].filter((name) => !made.has(name)).map((name) => `${name} is made no more`)
  const changed = [...made].flatMap(([name, text]) => {
    const known = kept.get(name)
    return known === undefined || known === text ? [] : [`${name} differs: ${firstDifference(known, text)}`]
  })
  return [...missing, ...stale, ...changed]
}

function firstDifference(kept: string, made: string): string {
  const [keptLines, madeLines] = [kept.split('\n'), made.split('\n')]
  const line = madeLines.findIndex((text, index) => text !== keptLines[index])
  const at = line < 0 ? madeLines.length : line
  const shown = (text: string | undefined) => (text === undefined ? 'nothing' : text.trim().slice(0, 100))
  return `line ${at + 1} is ${shown(keptLines[at])} and should be ${shown(madeLines[at])}`
}
