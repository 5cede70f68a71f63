import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A directory beside `dist`, where `npm run build` writes. */
const beside = (name: string): string => {
  const bundled = !import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(`${bundled ? '../' : '../../'}${name}`, import.meta.url))
}

/**
 * @param lastFile the file that the build writes last
 * @returns `null` if it was not built
 */
const siteIn = (directory: string, lastFile: string): string | null =>
  existsSync(join(directory, lastFile)) ? directory : null

export const consoleDirectory = () => siteIn(beside('console'), 'index.html')
export const helpDirectory = () => siteIn(beside('help'), 'site.json')
export const referenceDirectory = () => siteIn(beside('reference'), 'index.html')
export const downloadsDirectory = () => beside('downloads')
