import { systemClock } from '../../../../src/core/clock.ts'
import { openSqliteStorage } from '../../../../src/storage/sqlite/open.ts'

// Opens the store in the directory that the first argument names, says how that went, and keeps it until killed.
try {
  await openSqliteStorage({ dataDir: process.argv[2]!, clock: systemClock })
  process.stdout.write('opened\n')
} catch (error) {
  process.stdout.write(`${String(error)}\n`)
}
