import { expect, test } from 'vitest'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { SearchIndexer } from '../../src/engine/maintenance/searchIndexer.ts'
import type { StorageCalls } from '../../src/storage/callGroups.ts'
import { ManualClock } from '../support/manualClock.ts'
import { recordedLog, settled, storageOf } from './fakes.ts'

type Read = Awaited<ReturnType<StorageCalls['readUnindexed']>>

const NOTHING: Read = { parts: [], left: [] }

/** A started indexer, and the workspaces that each of its steps read. */
async function started(answers: Read[] = []) {
  const clock = new ManualClock()
  const steps: (readonly number[])[] = []
  const indexer = new SearchIndexer({
    storage: storageOf({
      findUnindexed: async () => ({ workspaceIds: [], nextAfterWorkspaceId: 0 }),
      indexCodes: async () => ({ indexed: 0, more: false }),
      readUnindexed: async ({ workspaceIds }) => {
        steps.push(workspaceIds)
        return answers.shift() ?? NOTHING
      },
    }),
    clock,
    failureLog: new FailureLog(clock, recordedLog()),
    dialects: new Map(),
    observer: { indexed: () => undefined },
    lanes: { memory: { waiting: 0 } },
  })
  indexer.start()
  const pass = async (ms: number) => {
    clock.advance(ms)
    await settled()
  }
  await pass(0)
  return { indexer, steps, pass }
}

test('events of a workspace are collected for two seconds, and indexed in one step', async () => {
  const { indexer, steps, pass } = await started()
  indexer.published(7)
  await pass(1_000)
  indexer.published(7)
  indexer.published(8)
  await pass(999)
  expect(steps).toEqual([])
  await pass(1)
  expect(steps).toEqual([[7]])
  await pass(999)
  indexer.published(7)
  await pass(1)
  expect(steps).toEqual([[7], [8]])
  await pass(1_999)
  expect(steps).toEqual([[7], [8], [7]])
  await indexer.stop()
})

test('events left by a step are not delayed again', async () => {
  const { indexer, steps, pass } = await started([{ parts: [], left: [7] }])
  indexer.published(7)
  await pass(2_000)
  await pass(0)
  expect(steps).toEqual([[7], [7]])
  await pass(60_000)
  expect(steps).toHaveLength(2)
  await indexer.stop()
})
