import { systemClock } from '../../../../src/core/clock.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/open.ts'
import { flat } from '../../../support/flatStorage.ts'
import { say } from './say.ts'

// Publishes events one by one, many at a time, until killed. Prints each number once the store has answered.
const [dataDir, workspaceId, from] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])]
const storage = flat(await openSqliteStorage({ dataDir, clock: systemClock }))
const { nodeId } = await storage.registerNode({ leaseMs: 60_000 })
const firstId = await storage.reserveEventIds({ count: 1_000_000 })
let next = 0

async function publishInTurn(): Promise<void> {
  for (;;) {
    const number = next++
    const event = {
      id: firstId + number,
      workspaceId,
      type: 'thing.happened',
      broughtId: `evt_${from + number}`,
      broughtRowId: null,
      fingerprint: Uint8Array.of(1),
      body: '{}',
      createdAt: systemClock.now(),
      traceparent: null,
    }
    await storage.publish({ nodeId, batches: [[event]], room: 1000, keepInStore: [], maxFanout: 1_000_000 })
    say(`${from + number}`)
  }
}

await Promise.all(Array.from({ length: 20 }, publishInTurn))
