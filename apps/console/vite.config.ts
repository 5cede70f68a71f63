import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressed } from '../compressed.ts'
import { fonts } from './fonts.ts'

/** The service serves these files (packages/server/src/http/pages). */
const OUT_DIR = '../../packages/server/console'

const LIBRARY = /node_modules/
const DIALOGS = /@mantine\/core\/esm\/.*\/Modal|react-remove-scroll|react-style-singleton|use-sidecar/
/** Used in forms only, and no first page has a form. */
const CHOICES = /@mantine\/core\/esm\/.*\/Radio\/Radio(?!Icon)/
/** Used by the pages that edit profiles. */
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
    // Licenses of the libraries; fonts.ts adds those of the fonts.
    license: { fileName: 'licenses.md' },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Small files compress badly, so library code that most pages need is one file.
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
            // Separate from the editor, which loads after its page.
            { name: 'json', test: EDITING, priority: 1 },
            { name: 'shared', test: /console\/src\/(shared|model|api)/, minShareCount: 7 },
          ],
        },
      },
    },
  },
  server: {
    // For development against a service on its default port.
    proxy: Object.fromEntries(
      ['/console/v1', '/v1', '/api', '/admin/v1', '/openapi', '/schemas', '/docs'].map((path) => [
        path,
        { target: 'http://127.0.0.1:8080', changeOrigin: false },
      ]),
    ),
  },
})
