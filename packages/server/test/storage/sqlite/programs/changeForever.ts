import { systemClock } from '../../../../src/core/clock.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/open.ts'
import { flat } from '../../../support/flatStorage.ts'
import { createIdempotently } from './createIdempotently.ts'
import { say } from './say.ts'

// Creates workspaces, each with an idempotency key, many at a time, until killed. Prints the number and id of
// each once the store has answered.
const [dataDir, from] = [process.argv[2]!, Number(process.argv[3])]
const storage = flat(await openSqliteStorage({ dataDir, clock: systemClock }))
let next = from

async function createInTurn(): Promise<void> {
  for (;;) {
    const number = next++
    const { result } = await createIdempotently(storage, number, `ws_${number}`)
    say(`${number} ${result!.id}`)
  }
}

await Promise.all(Array.from({ length: 20 }, createInTurn))
