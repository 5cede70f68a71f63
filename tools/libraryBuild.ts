import { readFileSync } from 'node:fs'
import { defineConfig } from 'tsdown'

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly 'posthorn-source': string }>>
}

/** Builds a published library: each entry that its package.json exports, as an ES module and as CommonJS. */
export function libraryBuild() {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest
  return defineConfig({
    entry: Object.values(exports).flatMap((entry) =>
      typeof entry === 'string' ? [] : [entry['posthorn-source']],
    ),
    format: ['esm', 'cjs'],
    platform: 'neutral',
    target: 'es2022',
    dts: true,
    fixedExtension: false,
    // A build must not remove the files of running tests.
    clean: false,
    outputOptions: (options, format) => ({
      ...options,
      // In their own folder, where none can have the name of an entry.
      chunkFileNames: format === 'cjs' ? 'shared/[name].cjs' : 'shared/[name].js',
    }),
    logLevel: 'error',
  })
}
