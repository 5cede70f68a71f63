import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { type Exit, type PosthornProcess, type Settings, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { makeTestDatabase, type TestStore } from './testStore.ts'

/** The store and number of a test's nodes. */
export interface NodesOn {
  readonly name: string
  readonly nodes: number
  readonly make: () => Promise<TestStore>
}

export const NODES_ON_STORES: readonly NodesOn[] = [
  { name: 'one process on SQLite', nodes: 1, make: async () => ({ settings: {}, remove: async () => {} }) },
  { name: 'two nodes on PostgreSQL', nodes: 2, make: makeTestDatabase },
]

/** The nodes of one service, which a test kills and restarts. */
export class KillableNodes {
  readonly #directory: string
  readonly #store: TestStore
  #settings: Settings
  #nodes: PosthornProcess[] = []
  #turn = 0

  private constructor(directory: string, store: TestStore, settings: Settings) {
    this.#directory = directory
    this.#store = store
    this.#settings = settings
  }

  /** @param program of another build, which the nodes run at first */
  static async start(
    { nodes, make }: NodesOn,
    settings: Settings = {},
    program?: string,
  ): Promise<KillableNodes> {
    const all = new KillableNodes(makeDirectory(), await make(), {
      POSTHORN_MASTER_KEY: randomBytes(32).toString('base64'),
      // Short, so that the others soon take over the deliveries of a killed node.
      ...(nodes === 1 ? {} : { POSTHORN_LEASE: '2s' }),
      ...settings,
    })
    all.#nodes = await Promise.all(Array.from({ length: nodes }, (_, node) => all.#start(node, program)))
    return all
  }

  get count(): number {
    return this.#nodes.length
  }

  /** The URL of each node in turn. */
  next(): string {
    return this.url(this.#turn++)
  }

  /** @param number counted from 0; numbers beyond the last node wrap around */
  url(number: number): string {
    return this.#nodes[number % this.count]!.url
  }

  /** SIGKILL. @param number as for {@link url} */
  async kill(number: number): Promise<void> {
    await this.#nodes[number % this.count]!.kill()
  }

  /** SIGTERM. @param number as for {@link url} @returns how it ended */
  async stop(number: number): Promise<Exit> {
    return this.#nodes[number % this.count]!.stop()
  }

  /** @param number as for {@link url} @param program of another build */
  async startAgain(number: number, program?: string): Promise<void> {
    this.#nodes[number % this.count] = await this.#start(number % this.count, program)
  }

  /** Adds settings for nodes started from now on. */
  set(settings: Settings): void {
    this.#settings = { ...this.#settings, ...settings }
  }

  /** The settings of a node, for example to run another command. */
  settingsOf(node: number): Settings {
    return { ...this.#store.settings, ...this.#settings, POSTHORN_DATA_DIR: this.#directoryOf(node) }
  }

  /** Ends them and removes all their files. */
  async remove(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.kill()))
    await this.#store.remove()
    removeDirectory(this.#directory)
  }

  #directoryOf(node: number): string {
    return path.join(this.#directory, `node-${node}`)
  }

  #start(node: number, program?: string): Promise<PosthornProcess> {
    return startService({
      dataDir: this.#directoryOf(node),
      settings: { ...this.#store.settings, ...this.#settings },
      ...(program === undefined ? {} : { program }),
    })
  }
}
