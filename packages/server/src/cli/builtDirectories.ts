import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What `npm run build` puts beside `dist`. */
const beside = (name: string): string => {
  const bundled = !import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(`${bundled ? '../' : '../../'}${name}`, import.meta.url))
}

/** @returns `null` if the pages were not built, as in a checkout where only the server was */
const siteIn = (directory: string): string | null =>
  existsSync(join(directory, 'index.html')) ? directory : null

export const consoleDirectory = () => siteIn(beside('console'))
export const helpDirectory = () => siteIn(beside('help'))
export const referenceDirectory = () => siteIn(beside('reference'))
export const downloadsDirectory = () => beside('downloads')
