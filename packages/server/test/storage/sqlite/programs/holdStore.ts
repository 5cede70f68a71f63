import { systemClock } from '../../../../src/core/clock.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/open.ts'

// Opens the store in the directory of the first argument, prints the result, and keeps it until killed.
try {
  await openSqliteStorage({ dataDir: process.argv[2]!, clock: systemClock })
  process.stdout.write('opened\n')
} catch (error) {
  process.stdout.write(`${String(error)}\n`)
}
