import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeLoopbackIdentity } from '../receivers/certificate.ts'
import { ScriptedReceiver } from '../receivers/scriptedReceiver.ts'
import { ForwardProxy } from '../support/forwardProxy.ts'
import type { Settings } from '../support/posthorn.ts'
import { oneOf } from '../support/random.ts'
import { Caller } from './api/caller.ts'
import { freePorts } from './freePorts.ts'
import { Journal } from './journal.ts'
import { clockJump } from './kinds/clock.ts'
import { egressFaults } from './kinds/egress.ts'
import type { FaultKind, World } from './kinds/kind.ts'
import { processFaults } from './kinds/processes.ts'
import { receiverOutage } from './kinds/receivers.ts'
import { allUp, FaultNode } from './nodes/node.ts'
import { Publisher } from './publisher/publisher.ts'
import { Scene } from './scene/scene.ts'
import type { StoreUnderTest } from './stores/store.ts'
import type { Circumstances } from './verdict/known.ts'
import type { LossOptions } from './verdict/losses.ts'

export const LEASE_MS = 3_000
const TIMEOUT_MS = 1_000
/** Seven waits, as in the schedules of both services. */
const RETRY = '40ms,80ms,120ms,200ms,200ms,200ms,200ms'
const MAX_IN_FLIGHT_PER_WEBHOOK = 10
/**
 * A request whose connection was being opened when a webhook was disabled still arrives; a busy receiver may
 * see it late.
 */
const STOPS_WITHIN_MS = TIMEOUT_MS + 1_000
/** A node that misses an announcement learns of changes by others within this time. */
const LOOKS_EVERY_MS = 1_000
/** A frozen node answers late; only a dead one leaves a caller without an answer. */
const CALL_TIMEOUT_MS = 60_000

const SETTINGS: Settings = {
  POSTHORN_CONTENT_RETRY: RETRY,
  POSTHORN_ADS_RETRY: RETRY,
  POSTHORN_CONTENT_TIMEOUT: `${TIMEOUT_MS}ms`,
  POSTHORN_ADS_TIMEOUT: `${TIMEOUT_MS}ms`,
  POSTHORN_LEASE: `${LEASE_MS}ms`,
  POSTHORN_MAX_IN_FLIGHT_PER_WEBHOOK: String(MAX_IN_FLIGHT_PER_WEBHOOK),
}

/** Everything that lasts for all rounds: nodes, receivers, the publisher, the callers. */
export class Stage {
  readonly world: World
  readonly publisher: Publisher
  readonly store: StoreUnderTest
  readonly #kinds: readonly FaultKind[]
  /** The egress proxy of each node. */
  readonly #proxies: readonly ForwardProxy[]
  readonly lossOptions: LossOptions
  readonly promises: Omit<Circumstances, 'losses'>
  readonly #caller: Caller

  private constructor(
    world: World,
    proxies: readonly ForwardProxy[],
    publisher: Publisher,
    store: StoreUnderTest,
  ) {
    this.world = world
    this.#proxies = proxies
    this.publisher = publisher
    this.store = store
    this.#kinds = [
      ...processFaults(LEASE_MS),
      clockJump(store.shared),
      receiverOutage,
      ...egressFaults(proxies),
      ...store.kinds,
    ]
    this.lossOptions = { shared: store.shared, leaseMs: LEASE_MS, timeoutMs: TIMEOUT_MS }
    // A disconnected node continues with its last known state until its lease expires.
    const stopsWithinMs = STOPS_WITHIN_MS + (store.shared ? LEASE_MS + LOOKS_EVERY_MS : 0)
    this.promises = { maxInFlightPerWebhook: MAX_IN_FLIGHT_PER_WEBHOOK, stopsWithinMs }
    this.#caller = new Caller(() => oneOf(Math.random, world.nodes).url, CALL_TIMEOUT_MS)
  }

  /** @param directory for logs and other files */
  static async setUp(store: StoreUnderTest, nodeCount: number, directory: string): Promise<Stage> {
    const identity = await makeLoopbackIdentity()
    const caFile = path.join(directory, 'receiver.pem')
    writeFileSync(caFile, identity.cert)
    const journal = new Journal(directory)
    const proxies = await Promise.all(Array.from({ length: nodeCount }, () => ForwardProxy.start()))
    const [plain, secure, rough] = await Promise.all([
      ScriptedReceiver.start(),
      ScriptedReceiver.start({ identity }),
      ScriptedReceiver.start(),
    ])
    const ports = await freePorts(nodeCount)
    const nodes = ports.map(
      (port, position) =>
        new FaultNode({
          name: `node-${position + 1}`,
          port,
          dataDir: store.dataDirOf(position),
          settings: {
            ...SETTINGS,
            POSTHORN_EGRESS_CA_FILE: caFile,
            POSTHORN_EGRESS_PROXY: proxies[position]!.url,
            POSTHORN_EGRESS_PROBE: new URL(plain.urlOf('/')).host,
            ...store.settingsOf(position),
          },
          logDirectory: directory,
          journal,
        }),
    )
    const publisher = new Publisher({ urls: nodes.map(({ url }) => url) })
    const world = { nodes, receivers: { plain, secure, rough }, journal }
    const stage = new Stage(world, proxies, publisher, store)
    try {
      for (const node of nodes) node.start()
      await allUp(nodes)
    } catch (error) {
      await stage.tearDown(directory)
      throw error
    }
    return stage
  }

  /** @param names empty: all kinds. @throws Error that lists the kinds when a name is unknown */
  kindsNamed(names: readonly string[]): readonly FaultKind[] {
    const kinds = this.#kinds.filter(({ name }) => names.length === 0 || names.includes(name))
    if (kinds.length > 0) return kinds
    throw new Error(`kinds of faults: ${this.#kinds.map(({ name }) => name).join(', ')}`)
  }

  /** Creates the workspaces of a round. */
  setScene(name: string, seed: number): Promise<Scene> {
    const { nodes, receivers, journal } = this.world
    return Scene.setUp({
      name,
      seed,
      receivers,
      caller: this.#caller,
      url: () => nodes[0]!.url,
      complain: (text) => journal.complain(text),
    })
  }

  /** Ends everything at once. @param keepIn see {@link StoreUnderTest.stop} */
  async tearDown(keepIn: string | null): Promise<void> {
    const { nodes, receivers } = this.world
    await Promise.all(nodes.map((node) => node.end()))
    await Promise.all([
      this.publisher.stop(),
      ...Object.values(receivers).map((receiver) => receiver.stop()),
      this.#caller.close(),
    ])
    for (const proxy of this.#proxies) proxy.stop()
    await this.store.stop(keepIn)
  }
}
