import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { aptPossible, installPackages } from '../support/apt.ts'
import { build, CACHE } from '../support/installed.ts'

const run = promisify(execFile)

interface Program {
  readonly directory: string
  readonly file: string
  readonly port: number
}

/** The tools that run programs of a language. */
interface Toolchain {
  readonly programs: readonly string[]
  /** Debian packages with these programs. */
  readonly packages: readonly string[]
  /** Compiles it. @returns the command that starts it */
  prepare(program: Program): Promise<readonly string[]>
}

const interpreted = (program: string, packages: readonly string[]): Toolchain => ({
  programs: [program],
  packages,
  prepare: async ({ file }) => [program, file],
})

const CARGO_TOML = `[package]
name = "receiver"
version = "0.0.0"
edition = "2021"

[dependencies]
base64 = "0.22"
hmac = "0.12"
sha2 = "0.10"

[profile.dev]
debug = false
`

/** By the language names in the service's documents. */
const TOOLCHAINS: Readonly<Record<string, Toolchain>> = {
  node: interpreted(process.execPath, []),
  python: interpreted('python3', ['python3']),
  java: interpreted('java', ['default-jdk-headless']),
  php: {
    programs: ['php'],
    packages: ['php-cli'],
    prepare: async ({ file, port }) => ['php', '-S', `127.0.0.1:${port}`, file],
  },
  ruby: {
    programs: ['ruby', 'puma'],
    packages: ['ruby', 'puma'],
    prepare: async ({ file, port }) => ['puma', '--bind', `tcp://127.0.0.1:${port}`, '--quiet', file],
  },
  go: {
    programs: ['go'],
    packages: ['golang-go'],
    async prepare({ directory, file }) {
      await build('go', ['build', '-o', 'receiver', file], directory)
      return ['./receiver']
    },
  },
  csharp: {
    programs: ['mcs', 'mono'],
    packages: ['mono-mcs', 'mono-runtime'],
    async prepare({ directory, file }) {
      await build('mcs', ['-warnaserror', '-out:receiver.exe', file], directory)
      return ['mono', 'receiver.exe']
    },
  },
  rust: {
    programs: ['cargo'],
    packages: ['cargo'],
    async prepare({ directory }) {
      writeFileSync(path.join(directory, 'Cargo.toml'), CARGO_TOML)
      const target = path.join(CACHE, 'cargo')
      mkdirSync(target, { recursive: true })
      await build('cargo', ['build', '--quiet', '--target-dir', target], directory)
      // The next program is built at the same path.
      const program = path.join(directory, 'receiver')
      await run('cp', [path.join(target, 'debug/receiver'), program])
      return [program]
    },
  },
}

const isThere = (program: string) =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((directory) => existsSync(path.resolve(directory, program)))

/**
 * Finds the tools of a language, or installs the distribution's packages.
 * @returns why there are none; `null`: they are available
 */
export function provideToolchain(language: string): string | null {
  const toolchain = TOOLCHAINS[language]
  return toolchain === undefined ? `no toolchain is known for ${language}` : providePrograms(toolchain)
}

/** @returns why they are missing; `null`: they are available */
export function providePrograms({
  programs,
  packages,
}: Pick<Toolchain, 'programs' | 'packages'>): string | null {
  const missing = () => programs.filter((program) => !isThere(program))
  if (missing().length === 0) return null
  if (!aptPossible()) return `${missing().join(', ')} is not installed`
  try {
    process.stderr.write(`Installing ${packages.join(', ')} (apt-get)\n`)
    installPackages(packages)
  } catch (error) {
    return `${packages.join(', ')} cannot be installed: ${(error as Error).message.split('\n')[0]}`
  }
  return missing().length === 0 ? null : `the packages have no ${missing().join(', ')}`
}

/** Writes a program into a directory and compiles it. @returns the command that starts it */
export function prepareProgram(
  language: string,
  source: { readonly file: string; readonly code: string },
  { directory, port }: Pick<Program, 'directory' | 'port'>,
): Promise<readonly string[]> {
  const file = language === 'csharp' ? path.basename(source.file) : source.file
  const target = path.join(directory, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, source.code)
  return TOOLCHAINS[language]!.prepare({ directory, file, port })
}
