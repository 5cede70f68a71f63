import { defineConfig } from 'vitepress'
import { afterBuild } from './afterBuild.ts'
import { focusableTables } from './focusableTables.ts'
import { licenses } from './licenses.ts'
import { unlinkOutside } from './outsideLinks.ts'
import { SECTIONS, titleOf } from './sections.ts'

/** The service serves what is built here, see packages/server/src/http/help. */
const OUT_DIR = '../packages/server/help'

/** Of the console and the API reference, which the same service serves. The generator adds no base to them. */
const outside = (text: string, path: string) => ({ text, link: `pathname://${path}`, target: '_self' })

export default defineConfig({
  lang: 'en',
  title: 'Posthorn',
  description: 'A self-hosted service that sends webhooks: durable, signed, retried, logged.',
  base: '/help/',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/help/logo.svg' }]],
  outDir: OUT_DIR,
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: true,
  lastUpdated: false,
  // Its inline script would be another one at each build.
  metaChunk: true,
  // A first visit would load every page that the sidebar links.
  router: { prefetchLinks: false },
  themeConfig: {
    logo: '/logo.svg',
    search: { provider: 'local' },
    outline: 'deep',
    nav: [outside('API reference', '/docs'), outside('Console', '/')],
    // Without `collapsed`: the theme would nest a button in a button.
    sidebar: SECTIONS.map(({ text, pages }) => ({
      text,
      items: pages.map((page) => ({ text: titleOf(page), link: page === 'index' ? '/' : `/${page}` })),
    })),
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(markdown) {
      unlinkOutside(markdown)
      focusableTables(markdown)
    },
  },
  vite: {
    plugins: [licenses()],
    // The output of other builds stays in the terminal.
    clearScreen: false,
    // The search index is one large chunk.
    build: { chunkSizeWarningLimit: 5_000 },
  },
  buildEnd: afterBuild,
})
