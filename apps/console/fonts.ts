import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import subsetFont from 'subset-font'
import type { Plugin } from 'vite'

const require = createRequire(import.meta.url)

/** Generated, not committed. index.html and styles/fonts.css refer to these files. */
const DIRECTORY = join(import.meta.dirname, 'fonts')

const between = (first: number, last: number) =>
  String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, place) => first + place))

/** ASCII, Latin-1 and general punctuation. System fonts draw all other characters. */
const CHARACTERS = `${between(0x20, 0x7e)}${between(0xa0, 0xff)}${between(0x2010, 0x2026)}‹›€™−↑↓Œœı`

/** Name records that stay in the file: copyright, license and license URL. */
const NAME_IDS = [0, 13, 14]

const INTER = dirname(require.resolve('@fontsource-variable/inter/LICENSE'))
const JETBRAINS_MONO = dirname(require.resolve('@fontsource/jetbrains-mono/LICENSE'))

const FONTS = [
  {
    file: 'inter.woff2',
    source: join(INTER, 'files/inter-latin-wght-normal.woff2'),
    features: ['kern', 'tnum'],
    // One variable file is smaller than two static ones.
    variationAxes: { wght: { min: 400, max: 700 } },
  },
  // No ligatures, so that code and payloads show their real characters.
  ...[400, 600].map((weight) => ({
    file: `jetbrains-mono-${weight}.woff2`,
    source: join(JETBRAINS_MONO, `files/jetbrains-mono-latin-${weight}-normal.woff2`),
    features: [],
  })),
]

/** Subsets the fonts before the build reads them. */
export function fonts(): Plugin {
  return {
    name: 'fonts',
    async buildStart() {
      await mkdir(DIRECTORY, { recursive: true })
      for (const { file, source, features, ...axes } of FONTS) {
        const bytes = await subsetFont(await readFile(source), CHARACTERS, {
          targetFormat: 'woff2',
          keepFeatures: features,
          preserveNameIds: NAME_IDS,
          ...axes,
        })
        await writeFile(join(DIRECTORY, file), bytes)
      }
    },
    async generateBundle() {
      const licenses = [INTER, JETBRAINS_MONO].map((directory) =>
        readFile(join(directory, 'LICENSE'), 'utf8'),
      )
      const source = (await Promise.all(licenses)).join('\n\n')
      this.emitFile({ type: 'asset', fileName: 'licenses-of-fonts.txt', source })
    },
  }
}
