import path from 'node:path'
import { expect, test } from 'vitest'
import { soak } from '../src/soak/soak.ts'
import { soakComplaints, soakTable } from '../src/soak/verdict.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { dose } from './dose.ts'

/** Duration of the load. `POSTHORN_TEST_SOAK_SECONDS=90` checks that it works; growth shows in an hour. */
const SECONDS = Number(process.env.POSTHORN_TEST_SOAK_SECONDS || dose(90, 3_600))
/** For the start, and for settling after the load. */
const BESIDES_MS = 600_000

const print = (text: string) => void process.stdout.write(`${text}\n`)

test('under load with traces and metrics enabled, nothing is lost and nothing grows', {
  timeout: SECONDS * 1_000 + BESIDES_MS,
}, async () => {
  const directory = makeDirectory()
  try {
    const dataDir = path.join(directory, 'data')
    const result = await soak({ seconds: SECONDS, dataDir, progress: (line) => print(`soak: ${line}`) })
    print(soakTable(result))
    expect(soakComplaints(result, SECONDS)).toEqual([])
  } finally {
    removeDirectory(directory)
  }
})
