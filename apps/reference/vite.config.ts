import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { compressed } from '../compressed.ts'
import { dependenciesOf, licensesText } from '../licenses.ts'

/** The service serves what is built here; see packages/server/src/http/documents/page.ts. */
const OUT_DIR = '../../packages/server/reference'

const require = createRequire(import.meta.url)
const rapidoc = dirname(dirname(require.resolve('rapidoc')))

/** Files with licenses of what the build contains and its tool does not see. */
const NOTICES = [
  join(rapidoc, 'dist/rapidoc-min.js.LICENSE.txt'),
  require.resolve('@fontsource-variable/inter/LICENSE'),
  require.resolve('@fontsource/jetbrains-mono/LICENSE'),
]

function notices(): Plugin {
  return {
    name: 'notices',
    async generateBundle() {
      const texts = await Promise.all(NOTICES.map((file) => readFile(file, 'utf8')))
      // RapiDoc is one file, which contains its dependencies.
      texts.push(licensesText(dependenciesOf(rapidoc)))
      this.emitFile({ type: 'asset', fileName: 'notices.txt', source: texts.join('\n\n') })
    },
  }
}

export default defineConfig({
  base: '/docs/',
  plugins: [notices(), compressed()],
  build: {
    outDir: OUT_DIR,
    emptyOutDir: true,
    target: 'es2022',
    // Styles, scripts and fonts are files of this origin: the Content-Security-Policy allows nothing else.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Of the scripts; the other licenses are in notices.txt.
    license: { fileName: 'licenses.md' },
    chunkSizeWarningLimit: 1000,
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
})
