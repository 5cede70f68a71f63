import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
} from 'node:fs'
import path from 'node:path'
import { type Account, serverAccount, sharedTempDirectory } from './account.ts'
import type { Binaries } from './binaries.ts'
import { DirectoryGuard } from './directoryGuard.ts'
import { provideBinaries } from './provide.ts'

/** Parameters of postgresql.conf. */
export type PostgresSettings = Readonly<Record<string, string>>

/**
 * A directory with a server's data and log, and PostgreSQL's programs that work in it; it is removed with
 * this process.
 */
export class ServerHome {
  readonly directory: string
  readonly dataDir: string
  readonly #logFile: string
  readonly #binaries: Binaries
  readonly #account: Account
  readonly #guard: DirectoryGuard
  readonly #environment: Readonly<Record<string, string>>

  /**
   * @param environment variables for all programs
   * @param parent where it is created, which the server's account must be able to enter; `null`: the
   * directory of temporary files
   */
  constructor(environment: Readonly<Record<string, string>> = {}, parent: string | null = null) {
    this.#environment = environment
    this.#binaries = provideBinaries()
    // An installation may have created the account that this finds.
    this.#account = serverAccount()
    const where = parent ?? sharedTempDirectory(this.#account)
    this.directory = mkdtempSync(path.join(where, 'posthorn-postgres-'))
    const { uid, gid } = this.#account
    if (uid !== undefined && gid !== undefined) chownSync(this.directory, uid, gid)
    this.dataDir = path.join(this.directory, 'data')
    this.#logFile = path.join(this.directory, 'log')
    this.#guard = new DirectoryGuard(this.directory)
  }

  /** Starts a program, which writes to the log and does not keep this process alive. */
  async spawn(program: string, args: readonly string[]): Promise<ChildProcess> {
    const file = path.join(this.#binaries.directory, program)
    if (!existsSync(file)) throw new Error(`${this.#binaries.directory} has no ${program}`)
    const log = openSync(this.#logFile, 'a')
    try {
      const child = spawn(file, args, {
        ...this.#account,
        cwd: this.directory,
        // None of the caller's variables: PGOPTIONS and the like would change the server, a language its
        // messages.
        env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC', ...this.#environment },
        // In its own session, which a keyboard interrupt does not reach.
        detached: true,
        stdio: ['ignore', log, log],
      })
      await once(child, 'spawn')
      this.#guard.watch(child.pid!, once(child, 'exit'))
      child.unref()
      return child
    } finally {
      closeSync(log)
    }
  }

  /** Runs a program to its end. @throws Error with its output when it fails */
  async run(program: string, args: readonly string[]): Promise<void> {
    const before = this.log().length
    const child = await this.spawn(program, args)
    child.ref()
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${this.log().slice(before)}`)
  }

  /** The output of the programs so far. */
  log(): string {
    return existsSync(this.#logFile) ? readFileSync(this.#logFile, 'utf8') : ''
  }

  configure(settings: PostgresSettings): void {
    const lines = Object.entries(settings).map(
      ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
    )
    appendFileSync(path.join(this.dataDir, 'postgresql.conf'), lines.join(''))
  }

  /** Allows all clients of a network. @param range as a CIDR */
  trust(range: string): void {
    appendFileSync(path.join(this.dataDir, 'pg_hba.conf'), `host all all ${range} trust\n`)
  }

  /** Stops running programs in it and removes it. */
  remove(): Promise<void> {
    return this.#guard.release()
  }
}
