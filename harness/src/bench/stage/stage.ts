import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Identity, makeLoopbackIdentity } from '../../receivers/certificate.ts'
import { GuardedDirectory } from '../../support/guardedDirectory.ts'
import { type Settings as Environment, type PosthornProcess, startService } from '../../support/posthorn.ts'
import { Program } from '../../support/program.ts'
import { BenchError, toldOf } from '../frame/benchError.ts'
import { type BenchStore, openBenchStore, type StoreName } from './stores.ts'

/** Of what a service wrote last. */
const TOLD_CHARACTERS = 2_000

export interface StageOptions {
  readonly store: StoreName
  readonly tls: boolean
  /** The stage's own directory and the store are made in here. */
  readonly dataParent: string
  /** What the store begins as; without it, empty. */
  readonly from?: StoreCopy
  /** The program that its services are; without it, that of this build. */
  readonly program?: string
  /** Settings of all its services. */
  readonly environment?: Environment
}

/** What a stage's store was at one time, for others to begin with. */
export interface StoreCopy {
  readonly directory: string
  /** Of the secrets in it. */
  readonly masterKey: string
}

/** What one variant of a round runs on: a store of its own, and every process that was started; all of it goes in the end. */
export class Stage {
  readonly store: BenchStore
  /** Of receivers; `null`: they speak plain HTTP. */
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

  /** @param preload a library that the process which writes to the disk loads first */
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

  /** Of a receiver of this stage. @param port at which it listens */
  originOf(port: number): string {
    return `${this.identity === null ? 'http' : 'https'}://127.0.0.1:${port}`
  }

  /** Starts a node on the store, which accepts publishes then. On SQLite there can be one at a time. */
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

  /** Ends a node at once, as a crash does. That is no complaint. */
  async kill(service: PosthornProcess): Promise<void> {
    // One that has ended before did so by a failure.
    if (service.exit === null) this.#killed.add(service)
    await service.kill()
  }

  /** What there is to say against how services ended: by a failure, or by force since they did not stop. */
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
    if (this.complaints.length > 0) throw new BenchError('not all services ended as they should')
  }

  /**
   * Copies the store, on which no service may run, into a directory that is not there yet and outlives the stage.
   * @throws BenchError when a service has not ended as it should
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

  /** Ends everything at once and leaves nothing behind. */
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

/** Opens a stage, and closes it whatever happens. @throws what `use` throws, with what services said that ended before */
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
    throw new BenchError([toldOf(error), ...stage.complaints].join('\n'))
  } finally {
    await stage.close()
  }
}
