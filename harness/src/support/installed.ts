import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Where compilers and installers keep what they made, so that the next run has less to do. */
export const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/toolchains', import.meta.url))
/** A compiler that never ran before compiles a whole standard library, and other tests run beside it. */
const BUILD_WITHIN_MS = 900_000

/** Runs a compiler or installer. @throws Error with what it wrote */
export async function build(command: string, args: readonly string[], directory: string): Promise<void> {
  try {
    const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '', NEXT_TELEMETRY_DISABLED: '1' }
    await run(command, args, { cwd: directory, env, timeout: BUILD_WITHIN_MS, maxBuffer: 64 * 1024 * 1024 })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  }
}

/** What is installed once and for all, at the first use. */
export interface Installed {
  /** @returns why it cannot be had; `null`: it is there */
  provide(): Promise<string | null>
  /** @returns its directory @throws Error when it cannot be had */
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

/** A program of Go, in `bin` of the directory. @param version with its path, as `go install` takes it */
export const fromGo = (version: string): Installed =>
  installedAs(version, (home) =>
    build(
      'env',
      [`GOBIN=${path.join(home, 'bin')}`, 'GOFLAGS=-mod=mod', 'CGO_ENABLED=0', 'go', 'install', version],
      home,
    ),
  )

/** A package of Debian, unpacked and not installed: its scripts would start a server. Its files are under `usr` of the directory. */
export const fromDebian = (name: string): Installed =>
  installedAs(name, async (home) => {
    // Test files may run at once: each unpacks into a directory of its own, and the last one to finish is kept.
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
    // An installation that was cut off has no such file, and is done again.
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
