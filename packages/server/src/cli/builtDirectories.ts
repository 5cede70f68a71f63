import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What `npm run build` puts beside `dist`. */
const beside = (name: string): string => {
  const bundled = !import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(`${bundled ? '../' : '../../'}${name}`, import.meta.url))
}

/**
 * @param lastFile the file that the build writes last
 * @returns `null` if the pages were not built, as in a checkout where only the server was
 */
const siteIn = (directory: string, lastFile: string): string | null =>
  existsSync(join(directory, lastFile)) ? directory : null

export const consoleDirectory = () => siteIn(beside('console'), 'index.html')
export const helpDirectory = () => siteIn(beside('help'), 'site.json')
export const referenceDirectory = () => siteIn(beside('reference'), 'index.html')
export const downloadsDirectory = () => beside('downloads')
