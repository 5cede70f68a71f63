import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { serverAccount } from './account.ts'
import { embeddedBinaries } from './embeddedPackage.ts'

/** Names the directory of PostgreSQL's programs; no other is then considered. */
export const BINARIES_VARIABLE = 'POSTHORN_TEST_POSTGRES_BIN'
export const OLDEST_VERSION = 14
const DEBIAN_DIRECTORY = '/usr/lib/postgresql'

/** A directory of PostgreSQL's programs and their major version. */
export interface Binaries {
  readonly directory: string
  readonly version: number
}

function releaseIn(directory: string): string {
  const said = execFileSync(path.join(directory, 'postgres'), ['--version'], {
    ...serverAccount(),
    cwd: '/',
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return /\(PostgreSQL\) (\d\S*)/.exec(said)?.[1] ?? '0'
}

/** With the minor version, such as `15.14`. */
export const releaseOf = ({ directory }: Binaries): string => releaseIn(directory)

/** The major version of the server in `directory`; `null` when the account that would run it cannot. */
function versionIn(directory: string): number | null {
  if (!existsSync(path.join(directory, 'initdb'))) return null
  try {
    return Number.parseInt(releaseIn(directory), 10)
  } catch {
    return null
  }
}

/** Where PostgreSQL's programs may be, the likeliest first. */
function* usualDirectories(env: NodeJS.ProcessEnv = process.env): Generator<string> {
  try {
    yield execFileSync('pg_config', ['--bindir'], { env, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    // It belongs to the development files, which are seldom installed.
  }
  for (const directory of (env.PATH ?? '').split(path.delimiter)) {
    const program = path.join(directory, 'postgres')
    // What is linked into PATH may be some of the programs; all of them are where the links lead.
    if (existsSync(program)) yield path.dirname(realpathSync(program))
  }
  if (existsSync(DEBIAN_DIRECTORY)) {
    const versions = readdirSync(DEBIAN_DIRECTORY).sort((a, b) => Number(b) - Number(a))
    for (const version of versions) yield path.join(DEBIAN_DIRECTORY, version, 'bin')
  }
  yield embeddedBinaries()
}

/**
 * PostgreSQL's programs on this machine, `null` when there are none that are new enough.
 * @throws Error when the variable names a directory that has none
 */
export function findBinaries(
  env: NodeJS.ProcessEnv = process.env,
  directories: Iterable<string> = usualDirectories(env),
): Binaries | null {
  const named = env[BINARIES_VARIABLE]
  for (const directory of named ? [named] : directories) {
    const version = versionIn(directory)
    if (version !== null && version >= OLDEST_VERSION) return { directory, version }
  }
  if (named) {
    throw new Error(
      `${BINARIES_VARIABLE}: ${named} has no PostgreSQL ${OLDEST_VERSION} or later that runs here`,
    )
  }
  return null
}
