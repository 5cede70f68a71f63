import { readdirSync, statSync } from 'node:fs'

/**
 * Whether every output was written after the last change of its sources.
 * @param outputs files, or directories that a build fills; one that does not exist is not up to date
 * @param sources files and directories that exist
 */
export function upToDate(outputs: readonly string[], sources: readonly string[]): boolean {
  const built = Math.min(...outputs.map((output) => newestIn(output) ?? Number.NEGATIVE_INFINITY))
  // A source that is gone was changed after the build that read it.
  return sources.every((source) => (newestIn(source) ?? Number.POSITIVE_INFINITY) < built)
}

/** Directories count too: their time is that of the last file which came or went. */
function newestIn(place: string): number | null {
  const own = statSync(place, { throwIfNoEntry: false })
  if (own === undefined) return null
  if (!own.isDirectory()) return own.mtimeMs
  const inside = readdirSync(place, { recursive: true, encoding: 'utf8' })
  return Math.max(own.mtimeMs, ...inside.map((name) => statSync(`${place}/${name}`).mtimeMs))
}
