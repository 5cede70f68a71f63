import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { serverAccount } from './account.ts'
import { embeddedBinaries } from './embeddedPackage.ts'

/** The directory of PostgreSQL's programs; overrides the search. */
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

/** The major version of the server in `directory`; `null` when its account cannot run it. */
function versionIn(directory: string): number | null {
  if (!existsSync(path.join(directory, 'initdb'))) return null
  try {
    return Number.parseInt(releaseIn(directory), 10)
  } catch {
    return null
  }
}

/** Usual directories of PostgreSQL's programs, the most likely first. */
function* usualDirectories(env: NodeJS.ProcessEnv = process.env): Generator<string> {
  try {
    yield execFileSync('pg_config', ['--bindir'], { env, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    // It belongs to the development files, which are rarely installed.
  }
  for (const directory of (env.PATH ?? '').split(path.delimiter)) {
    const program = path.join(directory, 'postgres')
    // PATH may link to only some programs; all of them are in the link's target.
    if (existsSync(program)) yield path.dirname(realpathSync(program))
  }
  if (existsSync(DEBIAN_DIRECTORY)) {
    const versions = readdirSync(DEBIAN_DIRECTORY).sort((a, b) => Number(b) - Number(a))
    for (const version of versions) yield path.join(DEBIAN_DIRECTORY, version, 'bin')
  }
  yield embeddedBinaries()
}

/**
 * PostgreSQL's programs on this machine; `null` when none are new enough.
 * @throws Error when the variable names a directory without them
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
