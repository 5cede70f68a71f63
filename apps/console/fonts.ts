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

/** ASCII, Latin-1 and the punctuation of general text. Fonts of the machine draw all other characters. */
const CHARACTERS = `${between(0x20, 0x7e)}${between(0xa0, 0xff)}${between(0x2010, 0x2026)}‹›€™−↑↓Œœı`

/** Copyright, license and its address stay in the file. */
const NAME_IDS = [0, 13, 14]

const INTER = dirname(require.resolve('@fontsource-variable/inter/LICENSE'))
const JETBRAINS_MONO = dirname(require.resolve('@fontsource/jetbrains-mono/LICENSE'))

const FONTS = [
  {
    file: 'inter.woff2',
    source: join(INTER, 'files/inter-latin-wght-normal.woff2'),
    features: ['kern', 'tnum'],
    // One file for all weights that the console uses is smaller than two of one weight.
    variationAxes: { wght: { min: 400, max: 700 } },
  },
  // No ligatures: code and payloads show the characters that they consist of.
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
