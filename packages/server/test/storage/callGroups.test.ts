import { expect, expectTypeOf, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { CALL_GROUPS, type ReadName } from '../../src/storage/callGroups.ts'
import { type CallTable, reads, writes } from '../../src/storage/postgres/call.ts'
import { list, type Queries, write } from '../../src/storage/queries/query.ts'
import { nothing } from '../../src/storage/queries/work.ts'
import type { CallTable as WorkerTable } from '../../src/storage/sqlite/messages.ts'
import { asKind } from '../../src/storage/sqlite/messages.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { openTestStore } from '../support/testStore.ts'

/** For code that the compiler must reject: it is never called. */
type Given = { readonly storage: Storage; readonly params: never }

test('a change in the audit log can be made only through change', () => {
  const rejected = ({ storage, params }: Given) => [
    // @ts-expect-error no door of its own
    storage.createWorkspace(params),
    // @ts-expect-error nor in its group
    storage.accounts.createWorkspace(params),
    // @ts-expect-error
    storage.accounts.updateMember(params),
    // @ts-expect-error
    storage.webhooks.updateWebhook(params),
    // @ts-expect-error
    storage.signIns.createSignInLink(params),
    // @ts-expect-error nor without its entry
    storage.change({ call: 'createWorkspace', params, audit: null, idempotency: null, now: 0 }),
  ]
  expect(rejected).toBeDefined()
})

test('a group does not expose calls of another, and a reading group has no writing calls', () => {
  const rejected = ({ storage, params }: Given) => [
    // @ts-expect-error
    storage.log.deleteExpired(params),
    // @ts-expect-error
    storage.webhooks.recordAttempts(params),
    // @ts-expect-error
    storage.maintenance.claimDue(params),
  ]
  expect(rejected).toBeDefined()
  expectTypeOf<'listWebhooks'>().toExtend<ReadName>()
  expectTypeOf<'claimDue'>().not.toExtend<ReadName>()
})

test('a call of a reading group is defined only by kinds of reads', () => {
  const work = function* () {
    yield* nothing()
    return []
  }
  const defined: Pick<Queries<'listAudit'>, 'listAudit'> = { listAudit: list(work) }
  // @ts-expect-error it would write
  const query: Queries<'listAudit'> = { listAudit: write(work) }
  const onSqlite: Pick<WorkerTable, 'listAudit'> = { listAudit: asKind(() => [], 'list') }
  // @ts-expect-error what is not marked writes
  const unmarked: Pick<WorkerTable, 'listAudit'> = { listAudit: () => [] }
  const onPostgres: Pick<CallTable, 'listAudit'> = { listAudit: reads(async () => []) }
  // @ts-expect-error it would write
  const written: Pick<CallTable, 'listAudit'> = { listAudit: writes(async () => []) }
  expect([defined, query, onSqlite, unmarked, onPostgres, written]).toHaveLength(6)
})

test('each call is in one group, and an open store has exactly those', async () => {
  const names = Object.values(CALL_GROUPS).flat()
  expect(new Set<string>(names).size).toBe(names.length)
  const { storage, remove } = await openTestStore(systemClock)
  for (const [group, calls] of Object.entries(CALL_GROUPS))
    expect(Object.keys(storage[group as keyof typeof CALL_GROUPS])).toEqual([...calls])
  await storage.close()
  await remove()
})
