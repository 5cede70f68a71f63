import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed } from '../compressed.ts'
import { fonts } from './fonts.ts'

/** The service serves what is built here; see packages/server/src/http/pages. */
const OUT_DIR = '../../packages/server/console'

const LIBRARY = /node_modules/
const DIALOGS = /@mantine\/core\/esm\/.*\/Modal|react-remove-scroll|react-style-singleton|use-sidecar/
/** Only forms have it, and no page begins with one. */
const CHOICES = /@mantine\/core\/esm\/.*\/Radio\/Radio(?!Icon)/
/** Several pages share it, and all of them edit profiles. */
const EDITING = /node_modules\/jsonc-parser/

export default defineConfig({
  plugins: [react(), fonts(), compressed()],
  build: {
    outDir: OUT_DIR,
    emptyOutDir: true,
    target: 'es2022',
    // Styles and scripts are files of this origin: the Content-Security-Policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Of the libraries; fonts.ts adds those of the fonts.
    license: { fileName: 'licenses.md' },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Small files compress badly: what most pages need of the libraries comes in one, what few need comes with these.
          groups: [
            {
              name: 'libraries',
              test: (id) => LIBRARY.test(id) && !DIALOGS.test(id) && !CHOICES.test(id) && !EDITING.test(id),
              minShareCount: 3,
              priority: 2,
            },
            // Loaded when the first dialog opens.
            { name: 'dialogs', test: DIALOGS, priority: 1 },
            { name: 'choices', test: CHOICES, priority: 1 },
            // Not with the editor, which is loaded after its page.
            { name: 'json', test: EDITING, priority: 1 },
            { name: 'shared', test: /console\/src\/(shared|model|api)/, minShareCount: 7 },
          ],
        },
      },
    },
  },
  server: {
    // For work on the console itself, beside a service on its default port.
    proxy: Object.fromEntries(
      ['/console/v1', '/v1', '/api', '/admin/v1', '/openapi', '/schemas', '/docs'].map((path) => [
        path,
        { target: 'http://127.0.0.1:8080', changeOrigin: false },
      ]),
    ),
  },
})
