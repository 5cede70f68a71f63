import { existsSync } from 'node:fs'
import path from 'node:path'
import { aptPossible, installPackages } from '../support/apt.ts'

/** Path of Chromium's program; overrides the search. */
const CHROMIUM_VARIABLE = 'POSTHORN_TEST_CHROMIUM'
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
/** Without a font pages show no text, and screenshots show boxes. */
const PACKAGES = ['chromium', 'fonts-liberation', 'fonts-noto-color-emoji']

/**
 * Chromium's program on this machine; `null` when there is none. @throws Error when the variable names a
 * missing file
 */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  const named = env[CHROMIUM_VARIABLE]
  if (named) {
    if (existsSync(named)) return named
    throw new Error(`${CHROMIUM_VARIABLE}: no such file: ${named}`)
  }
  for (const directory of (env.PATH ?? '').split(path.delimiter)) {
    for (const name of NAMES) {
      const program = path.join(directory, name)
      if (existsSync(program)) return program
    }
  }
  return null
}

/**
 * Chromium's program: that of this machine, or else the distribution's, installed now with a message on
 * stderr.
 * @throws Error with instructions when there is none in the end
 */
export function provideChromium(
  find: () => string | null = findChromium,
  install: (() => void) | null = aptPossible() ? () => installPackages(PACKAGES) : null,
): string {
  const there = find()
  if (there !== null) return there
  if (install !== null) {
    process.stderr.write("No Chromium here: installing the distribution's package (apt-get)\n")
    install()
    const installed = find()
    if (installed !== null) return installed
  }
  throw new Error(`Chromium is needed: install it, or name its program in ${CHROMIUM_VARIABLE}`)
}
