import type { Clock } from '../../core/clock.ts'
import { toIdKey } from '../../core/ids.ts'
import { groupCalls } from '../callGroups.ts'
import { migrations } from '../migrations/index.ts'
import type { Migration } from '../migrations/migration.ts'
import { type Storage, StoreOpenError, StoreUnavailableError } from '../storage.ts'
import { NO_WORKSPACE, workspaceOf } from '../workspaceOf.ts'
import { Acknowledgements } from './acknowledgements.ts'
import { Announcements } from './announcements.ts'
import {
  type CallDefinition,
  type CallName,
  type CallParams,
  type CallResult,
  carryOut,
  type StorageCalls,
} from './call.ts'
import { callTable } from './callTable.ts'
import { ChangeWatch, readHorizon } from './changes.ts'
import { CALL_WITHIN_MS, Connections, MOST_OF_WORKSPACE } from './connections.ts'
import { Locks } from './locks.ts'
import { migrate } from './migrate.ts'
import { Partitions } from './partitions.ts'
import { PublishLane } from './publishLane.ts'
import { LeaseIds } from './queries/leases.ts'
import { publisher } from './queries/publish.ts'
import { refusalOf } from './servers.ts'
import type { Store } from './store.ts'
import { StoreClock } from './storeClock.ts'
import type { Counter } from './transaction.ts'
import { WebhookMatcher } from './webhookMatcher.ts'
import { WorkspaceGate } from './workspaceGate.ts'

export interface PostgresStorageOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string
  /** The machine's clock. */
  readonly clock: Clock
  /** The schema of the tables; created if missing. */
  readonly schema?: string
  /** The migrations of this program. */
  readonly migrations?: readonly Migration[]
  /** Why no store may be created in an empty database, in one line for the operator; `null` or absent: it may. */
  readonly whyNotNew?: string | null
}

export interface PostgresStorage extends Storage {
  /** The database's time, which all nodes share. */
  readonly clock: Clock
  readonly counter: Readonly<Counter>
  /** Whether there was no store before. */
  readonly isNew: boolean
  /** Size of the database in bytes. */
  size(): Promise<number>
}

/** The default schema. */
export const SCHEMA = 'posthorn'

const sql = {
  identity: `
    SELECT id_key, EXISTS (SELECT 1 FROM move WHERE finished_at IS NULL) AS moving FROM store`,
  size: 'SELECT pg_database_size(current_database()) AS bytes',
}

/**
 * Opens a store on PostgreSQL; any number of nodes may have it open.
 * @throws StoreOpenError with one line for the operator.
 */
export async function openPostgresStorage(options: PostgresStorageOptions): Promise<PostgresStorage> {
  const {
    url,
    clock: machineClock,
    schema = SCHEMA,
    migrations: wanted = migrations,
    whyNotNew = null,
  } = options
  const connections = new Connections({ url, schema }, machineClock)
  const locks = new Locks(schema)
  let identity: Identity
  let horizon: number
  let isNew: boolean
  try {
    isNew = await migrate({ connections, locks, schema, now: machineClock.now(), wanted, whyNotNew })
    identity = await readIdentity(connections)
    horizon = await readHorizon(connections)
  } catch (error) {
    await connections.close()
    if (error instanceof StoreOpenError) throw error
    throw new StoreOpenError(`the database cannot be used: ${refusalOf(url, error)}`)
  }
  const store: Store = {
    connections,
    locks,
    machineClock,
    migrations: wanted,
    partitions: new Partitions(connections, locks),
    leaseIds: new LeaseIds(machineClock),
    matching: new WebhookMatcher(),
    clock: new StoreClock(machineClock),
  }
  return storageOn(store, { identity, schema, horizon, isNew })
}

function storageOn(
  store: Store,
  facts: { identity: Identity; schema: string; horizon: number; isNew: boolean },
): PostgresStorage {
  const { identity, schema, horizon, isNew } = facts
  const { connections } = store
  const publish = publisher(store)
  const lane = new PublishLane(store, publish)
  const { machineClock: clock } = store
  const gate = new WorkspaceGate({ most: MOST_OF_WORKSPACE, patienceMs: CALL_WITHIN_MS, clock })
  const underWay = new Set<Promise<unknown>>()
  const announcements = new Announcements(connections, store.machineClock, schema)
  const watches: ChangeWatch[] = []
  let closed: Promise<void> | null = null
  /** A newer program has changed the schema, so anything that this one does could be wrong. */
  let refusal: StoreOpenError | null = null

  function track<Result>(call: () => Promise<Result>): Promise<Result> {
    if (closed !== null) return Promise.reject(new StoreUnavailableError('the store is closed'))
    if (refusal !== null) return Promise.reject(new StoreUnavailableError(refusal.message))
    const work = call()
      .catch((error) => {
        if (error instanceof StoreOpenError) refusal = error
        throw error
      })
      .finally(() => underWay.delete(work))
    underWay.add(work)
    return work
  }

  const shared = (name: string, call: CallDefinition<CallName>, params: CallParams<CallName>) =>
    gate.run(call.pool === 'rest' ? workspaceOf(name, params) : NO_WORKSPACE, () =>
      carryOut(store, call, params),
    )

  const table = callTable(store, publish)
  const calls = Object.fromEntries(
    (Object.entries(table) as [CallName, CallDefinition<CallName>][]).map(([name, call]) => [
      name,
      (params: CallParams<CallName>) => track(() => shared(name, call, params)),
    ]),
  ) as unknown as StorageCalls

  const acknowledgements = new Acknowledgements(
    connections,
    (params) =>
      shared('acknowledge', table.acknowledge as CallDefinition<CallName>, params) as Promise<
        CallResult<'acknowledge'>
      >,
  )
  const change = (params: CallParams<'change'>) => {
    if (params.call !== 'acknowledge' || params.idempotency !== null) return calls.change(params)
    return track(async () => {
      const result = await acknowledgements.call(params.params as CallParams<'acknowledge'>)
      return { result, repeated: false, responseData: null }
    })
  }

  return {
    ...groupCalls({ ...calls, publish: (call) => track(() => lane.call(call)) }),
    change: change as Storage['change'],
    async check() {
      lane.check()
      await calls.check()
    },
    onWebhooksChanged(onChanged, onLooked) {
      const { machineClock: clock } = store
      const watch = new ChangeWatch({ connections, clock, fromXact: horizon, onChanged, onLooked })
      watches.push(watch)
      void watch.look()
      announcements.on('webhooks', () => void watch.look())
    },
    onCredentialsChanged: (listener) => announcements.on('credentials', listener),
    ...identity,
    isNew,
    async size() {
      const row = await track(() =>
        connections.call({ pool: 'rest', isolation: 'none' }, (tx) => tx.row<{ bytes: number }>(sql.size)),
      )
      return row!.bytes
    },
    clock: store.clock,
    counter: connections.counter,
    close() {
      closed ??= (async () => {
        for (const watch of watches) watch.stop()
        await Promise.all([announcements.stop(), Promise.allSettled(underWay)])
        await connections.close()
      })()
      return closed
    },
  }
}

/** Facts about a store when it is opened. */
type Identity = Pick<PostgresStorage, 'idKey'>

async function readIdentity(connections: Connections): Promise<Identity> {
  const row = await connections.call({ pool: 'rest', isolation: 'none' }, (tx) =>
    tx.row<{ id_key: Uint8Array; moving: boolean }>(sql.identity),
  )
  if (row!.moving)
    throw new StoreOpenError(
      'the move of an embedded store into the database is not finished: run posthorn move again',
    )
  return { idKey: toIdKey(row!.id_key) }
}
