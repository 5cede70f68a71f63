import { Turns } from '../../core/turns.ts'
import type { CallParams, CallResult } from '../callGroups.ts'
import { acknowledged, CONSUMER_COLUMNS, type ConsumerRow } from '../queries/consumers.ts'
import { StoreUnavailableError } from '../storage.ts'
import type { Connections } from './connections.ts'
import { toStoreError } from './failures.ts'
import type { Tx } from './transaction.ts'

type Params = CallParams<'acknowledge'>
type Result = CallResult<'acknowledge'>
type Acknowledge = (params: Params) => Promise<Result>

/** Two: while one group is being committed, the next is already on its way. */
const GROUPS_AT_ONCE = 2
/** Acknowledgements in one commit. */
const MAX_GROUP = 200

const sql = {
  /** Skips locked rows, so that groups and others that lock several consumers never wait for each other. */
  lock: `SELECT ${CONSUMER_COLUMNS} FROM consumers WHERE id = ANY ($1::bigint[]) FOR NO KEY UPDATE SKIP LOCKED`,
  move: `
    UPDATE consumers c SET major = x.major, minor = x.minor, lost_seen = x.lost_seen, acknowledged_at = x.at
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) AS x (id, major, minor, lost_seen, at)
    WHERE c.id = x.id`,
}

interface Waiting {
  readonly params: Params
  readonly resolve: (result: Result | Promise<Result>) => void
  readonly reject: (error: Error) => void
}

/** Acknowledges for many consumers in one commit, which costs a disk sync however many it moves. Workspaces take turns. */
export class Acknowledgements {
  readonly #connections: Connections
  readonly #alone: Acknowledge
  readonly #waiting = new Turns<Waiting>()
  #running = 0

  /** @param alone acknowledges for one consumer, waiting for its lock */
  constructor(connections: Connections, alone: Acknowledge) {
    this.#connections = connections
    this.#alone = alone
  }

  call(params: Params): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(params.workspaceId, { params, resolve, reject })
      this.#pump()
    })
  }

  #pump(): void {
    while (this.#running < GROUPS_AT_ONCE && !this.#waiting.empty) {
      const group: Waiting[] = []
      while (group.length < MAX_GROUP && !this.#waiting.empty) group.push(this.#waiting.next()!)
      this.#running++
      void this.#run(group).finally(() => {
        this.#running--
        this.#pump()
      })
    }
  }

  async #run(group: readonly Waiting[]): Promise<void> {
    try {
      const all = group.map(({ params }) => params)
      const results = await this.#connections.call({ pool: 'rest', isolation: 'write' }, (tx) =>
        together(tx, all),
      )
      for (const [at, { params, resolve }] of group.entries()) resolve(results[at] ?? this.#alone(params))
    } catch (error) {
      const storeError = toStoreError(error)
      for (const { params, resolve, reject } of group)
        if (storeError instanceof StoreUnavailableError) reject(storeError)
        else resolve(this.#alone(params))
    }
  }
}

/** @returns the result of each; `null`: its consumer is locked or gone, and nothing was done */
async function together(tx: Tx, all: readonly Params[]): Promise<readonly (Result | null)[]> {
  const ids = [...new Set(all.map(({ consumerId }) => consumerId))]
  const found = new Map((await tx.rows<ConsumerRow>(sql.lock, [ids])).map((row) => [row.id, row]))
  const moved = new Map<number, ConsumerRow>()
  const results = all.map((params) => {
    const row = found.get(params.consumerId)
    if (row === undefined) return null
    const { result, row: next } = acknowledged(row, params)
    if (next === null) return result
    found.set(next.id, next)
    moved.set(next.id, next)
    return result
  })
  const rows = [...moved.values()]
  if (rows.length > 0)
    await tx.run(sql.move, [
      rows.map(({ id }) => id),
      rows.map(({ major }) => major),
      rows.map(({ minor }) => minor),
      rows.map(({ lostSeen }) => lostSeen),
      rows.map(({ acknowledgedAt }) => acknowledgedAt),
    ])
  return results
}
