import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Cache of compilers and installers, so that the next run has less to do. */
export const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/toolchains', import.meta.url))
/** A compiler compiles a whole standard library on its first run, while other tests run. */
const BUILD_WITHIN_MS = 900_000

/** Runs a compiler or installer. @throws Error with its output */
export async function build(command: string, args: readonly string[], directory: string): Promise<void> {
  try {
    const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '', NEXT_TELEMETRY_DISABLED: '1' }
    await run(command, args, { cwd: directory, env, timeout: BUILD_WITHIN_MS, maxBuffer: 64 * 1024 * 1024 })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  }
}

/** A tool that is installed once, at its first use. */
export interface Installed {
  /** @returns why it is unavailable; `null`: it is installed */
  provide(): Promise<string | null>
  /** @returns its directory @throws Error when it is unavailable */
  home(): Promise<string>
}

/** Packages of npm, in `node_modules` of the directory. */
export const fromNpm = (...packages: readonly [string, ...string[]]): Installed =>
  installedAs(packages[0], async (home) => {
    writeFileSync(path.join(home, 'package.json'), '{ "private": true }')
    await build('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], home)
  })

/** Packages of PyPI, in the virtual environment `venv` of the directory. */
export const fromPypi = (...packages: readonly [string, ...string[]]): Installed =>
  installedAs(packages[0], async (home) => {
    await build('python3', ['-m', 'venv', '--clear', path.join(home, 'venv')], home)
    const options = ['--quiet', '--disable-pip-version-check', '--only-binary', ':all:']
    await build(path.join(home, 'venv/bin/pip'), ['install', ...options, ...packages], home)
  })

/** A Go program, in `bin` of the directory. @param version with its path, as for `go install` */
export const fromGo = (version: string): Installed =>
  installedAs(version, (home) =>
    build(
      'env',
      [`GOBIN=${path.join(home, 'bin')}`, 'GOFLAGS=-mod=mod', 'CGO_ENABLED=0', 'go', 'install', version],
      home,
    ),
  )

/**
 * A Debian package, unpacked and not installed, since its scripts would start a server. Its files are in
 * `usr` of the directory.
 */
export const fromDebian = (name: string): Installed =>
  installedAs(name, async (home) => {
    // Test files may run concurrently: each unpacks into its own directory, and the last one to finish is
    // kept.
    const own = mkdtempSync(path.join(home, 'unpacking-'))
    try {
      await build('apt-get', ['update'], own)
      await build('apt-get', ['download', name], own)
      const archive = readdirSync(own).find((file) => file.endsWith('.deb'))!
      await build('dpkg-deb', ['--extract', archive, 'files'], own)
      for (const entry of readdirSync(path.join(own, 'files'))) {
        rmSync(path.join(home, entry), { recursive: true, force: true })
        renameSync(path.join(own, 'files', entry), path.join(home, entry))
      }
    } finally {
      rmSync(own, { recursive: true, force: true })
    }
  })

function installedAs(name: string, install: (home: string) => Promise<void>): Installed {
  async function home(): Promise<string> {
    const directory = path.join(CACHE, name.replaceAll(/[^\w.-]/g, '-'))
    const done = path.join(directory, 'installed')
    if (existsSync(done)) return directory
    mkdirSync(directory, { recursive: true })
    await install(directory)
    // An interrupted installation has no such file, and is repeated.
    writeFileSync(done, '')
    return directory
  }
  return {
    home,
    provide: () =>
      home().then(
        () => null,
        (error: unknown) => `${name} cannot be installed: ${reasonOf(error)}`,
      ),
  }
}

const reasonOf = (error: unknown) => (error as Error).message.split('\n').slice(0, 3).join(' ')
