import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where the built web console is: beside `dist`, whether this module runs bundled or as source. `null`: it was not built,
 * as in a checkout of which only the server was.
 */
export function consoleDirectory(): string | null {
  const bundled = !import.meta.url.endsWith('.ts')
  const directory = fileURLToPath(new URL(bundled ? '../console' : '../../console', import.meta.url))
  return existsSync(join(directory, 'index.html')) ? directory : null
}
