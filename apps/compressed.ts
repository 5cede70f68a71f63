import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** Compresses the files of a build once and not at every request. */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    writeBundle({ dir }) {
      const assets = join(dir!, 'assets')
      for (const name of readdirSync(assets)) {
        // Fonts are compressed already.
        if (name.endsWith('.woff2')) continue
        const bytes = readFileSync(join(assets, name))
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
        writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes, { params }))
        writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}
