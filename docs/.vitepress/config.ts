import { defineConfig } from 'vitepress'
import { afterBuild } from './afterBuild.ts'
import { unlinkOutside } from './outsideLinks.ts'
import { SECTIONS, titleOf } from './sections.ts'

/** The service serves what is built here, see packages/server/src/http/help. */
const OUT_DIR = '../packages/server/help'

export default defineConfig({
  title: 'Posthorn',
  description: 'A self-hosted service that sends webhooks: durable, signed, retried, logged.',
  base: '/help/',
  outDir: OUT_DIR,
  cacheDir: '../node_modules/.cache/vitepress',
  cleanUrls: true,
  srcExclude: ['console/**'],
  lastUpdated: false,
  // Its inline script would be another one at each build.
  metaChunk: true,
  themeConfig: {
    logo: '/logo.svg',
    search: { provider: 'local' },
    outline: 'deep',
    sidebar: SECTIONS.map(({ text, pages }) => ({
      text,
      collapsed: false,
      items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
    })),
  },
  markdown: { config: unlinkOutside },
  buildEnd: afterBuild,
})
