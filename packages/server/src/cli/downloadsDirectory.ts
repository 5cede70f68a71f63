import { fileURLToPath } from 'node:url'

/** Where the packed libraries are: beside `dist`, whether this module runs bundled or as source. */
export function downloadsDirectory(): string {
  const bundled = !import.meta.url.endsWith('.ts')
  return fileURLToPath(new URL(bundled ? '../downloads' : '../../downloads', import.meta.url))
}
