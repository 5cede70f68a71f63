import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { compressFile } from './compressFile.ts'

/** Compresses the files of a build once and not at every request. */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    writeBundle({ dir }) {
      const assets = join(dir!, 'assets')
      for (const name of readdirSync(assets)) {
        // Fonts are compressed already.
        if (!name.endsWith('.woff2')) compressFile(join(assets, name), readFileSync(join(assets, name)))
      }
    },
  }
}
