import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Where the generated part of the client is kept, with nothing else. */
export const DIRECTORY = path.join(import.meta.dirname, '../../packages/client/src/generated')

/** The files that are there, by name. */
export function readFiles(): ReadonlyMap<string, string> {
  const names = readdirSync(DIRECTORY)
  return new Map(names.map((name) => [name, readFileSync(path.join(DIRECTORY, name), 'utf8')]))
}

/** Leaves nothing there but these files. */
export function writeFiles(files: ReadonlyMap<string, string>): void {
  rmSync(DIRECTORY, { recursive: true, force: true })
  mkdirSync(DIRECTORY, { recursive: true })
  for (const [name, text] of files) writeFileSync(path.join(DIRECTORY, name), text)
}
