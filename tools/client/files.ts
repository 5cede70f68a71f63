import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The directory of the generated part of the client, with no other files. */
export const DIRECTORY = path.join(import.meta.dirname, '../../packages/client/src/generated')

/** The existing files, by name. */
export function readFiles(): ReadonlyMap<string, string> {
  const names = readdirSync(DIRECTORY)
  return new Map(names.map((name) => [name, readFileSync(path.join(DIRECTORY, name), 'utf8')]))
}

/** Replaces the directory's content with these files. */
export function writeFiles(files: ReadonlyMap<string, string>): void {
  rmSync(DIRECTORY, { recursive: true, force: true })
  mkdirSync(DIRECTORY, { recursive: true })
  for (const [name, text] of files) writeFileSync(path.join(DIRECTORY, name), text)
}
