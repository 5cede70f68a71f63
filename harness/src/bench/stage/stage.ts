import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Identity, makeLoopbackIdentity } from '../../receivers/certificate.ts'
import { GuardedDirectory } from '../../support/guardedDirectory.ts'
import { type Settings as Environment, type PosthornProcess, startService } from '../../support/posthorn.ts'
import { Program } from '../../support/program.ts'
import { BenchError, messageOf } from '../frame/benchError.ts'
import { type BenchStore, openBenchStore, type StoreName } from './stores.ts'

/** Of a service's last output. */
const TOLD_CHARACTERS = 2_000

export interface StageOptions {
  readonly store: StoreName
  readonly tls: boolean
  /** Parent of the stage's own directory and of the store. */
  readonly dataParent: string
  /** Initial content of the store; empty if omitted. */
  readonly from?: StoreCopy
  /** The program of its services; that of this build if omitted. */
  readonly program?: string
  /** Settings of all its services. */
  readonly environment?: Environment
}

/** A stage's store at one time, as a start for others. */
export interface StoreCopy {
  readonly directory: string
  /** Of the secrets in it. */
  readonly masterKey: string
}

/**
 * The environment of one variant of a round: its own store, and every started process. All of it is removed
 * at the end.
 */
export class Stage {
  readonly store: BenchStore
  /** Of receivers; `null`: they use plain HTTP. */
  readonly identity: Identity | null
  readonly #directory: GuardedDirectory
  readonly #environment: Environment
  readonly #masterKey: string
  readonly #program: string | undefined
  readonly #services: PosthornProcess[] = []
  readonly #killed = new Set<PosthornProcess>()
  readonly #programs: { stop(): Promise<void> }[] = []

  private constructor(
    directory: GuardedDirectory,
    store: BenchStore,
    identity: Identity | null,
    masterKey: string,
    { program, environment = {} }: StageOptions,
  ) {
    this.#directory = directory
    this.store = store
    this.identity = identity
    this.#masterKey = masterKey
    this.#program = program
    this.#environment = {
      ...store.environment,
      // The same for all nodes.
      POSTHORN_MASTER_KEY: masterKey,
      ...(identity === null ? {} : { POSTHORN_EGRESS_CA_FILE: this.#writeCertificate(identity) }),
      ...environment,
    }
  }

  /** @param preload a library for the process that writes to the disk */
  static async open(options: StageOptions, preload: string | null = null): Promise<Stage> {
    const directory = new GuardedDirectory(options.dataParent)
    const identity = options.tls ? await makeLoopbackIdentity() : null
    const { from, dataParent: parent } = options
    const store = await openBenchStore(options.store, {
      directory: directory.path,
      parent,
      preload,
      from: from?.directory ?? null,
    })
    const masterKey = from?.masterKey ?? randomBytes(32).toString('base64')
    return new Stage(directory, store, identity, masterKey, options)
  }

  file(name: string): string {
    return path.join(this.#directory.path, name)
  }

  /** Of a receiver of this stage. @param port that it listens on */
  originOf(port: number): string {
    return `${this.identity === null ? 'http' : 'https'}://127.0.0.1:${port}`
  }

  /**
   * Starts a node on the store and waits until it accepts publishes. On SQLite there can be one at a time.
   */
  async startService(environment: Environment = {}): Promise<PosthornProcess> {
    const service = await startService({
      dataDir: this.store.dataDirOf(this.#services.length),
      settings: { ...this.#environment, ...environment },
      ...(this.#program === undefined ? {} : { program: this.#program }),
    })
    this.#directory.watch(service.pid, service.exited)
    this.#services.push(service)
    return service
  }

  /** Ends a node at once, as a crash does. That is not a complaint. */
  async kill(service: PosthornProcess): Promise<void> {
    // A node that ended earlier did so because of a failure.
    if (service.exit === null) this.#killed.add(service)
    await service.kill()
  }

  /** Complaints about how services ended: with a failure, or killed because they did not stop. */
  get complaints(): string[] {
    return this.#services
      .filter((service) => !this.#killed.has(service))
      .flatMap(({ exit, stderr, stdout }) =>
        exit === null || exit.code === 0
          ? []
          : [`a service ended with ${JSON.stringify(exit)}: ${(stderr || stdout).slice(-TOLD_CHARACTERS)}`],
      )
  }

  /** @throws BenchError when there are complaints; {@link onStage} adds them to it */
  check(): void {
    if (this.complaints.length > 0) throw new BenchError('not all services stopped cleanly')
  }

  /**
   * Copies the store, which no service may use meanwhile, into a new directory that outlives the stage.
   * @throws BenchError when a service has not ended cleanly
   */
  async copyStore(directory: string): Promise<StoreCopy> {
    this.check()
    await this.store.copyTo(directory)
    return { directory, masterKey: this.#masterKey }
  }

  start<To extends { readonly kind: string }, From extends { readonly kind: string }>(
    file: URL,
    start: object,
  ): Program<To, From> {
    const program = new Program<To, From>(file, start)
    this.#programs.push(program)
    return program
  }

  /** Ends everything at once and removes all files. */
  async close(): Promise<void> {
    await Promise.all([
      ...this.#services.map((service) => service.kill()),
      ...this.#programs.map((program) => program.stop()),
    ])
    await this.store.remove()
    await this.#directory.remove()
  }

  #writeCertificate({ cert }: Identity): string {
    const file = this.file('receiver.pem')
    writeFileSync(file, cert)
    return file
  }
}

/**
 * Opens a stage, and always closes it. @throws the error of `use`, with the output of services that ended
 * before
 */
export async function onStage<T>(
  options: StageOptions,
  use: (stage: Stage) => Promise<T>,
  preload: string | null = null,
): Promise<T> {
  const stage = await Stage.open(options, preload)
  try {
    return await use(stage)
  } catch (error) {
    if (stage.complaints.length === 0) throw error
    throw new BenchError([messageOf(error), ...stage.complaints].join('\n'))
  } finally {
    await stage.close()
  }
}
