import { existsSync } from 'node:fs'
import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files, in that order; see the list at the end of each run. */
const LONGEST = [
  'harness/test/soak.test.ts',
  'packages/server/test/storage/postgres.conformance.test.ts',
  'harness/test/acceptance/operations.test.ts',
  'harness/test/recovering.test.ts',
  'harness/test/schemathesis.test.ts',
  'harness/test/console/everyPage.test.ts',
  'harness/test/tour.test.ts',
  'harness/test/help/site.test.ts',
  'harness/test/limits.test.ts',
  'harness/test/faults.test.ts',
  'harness/test/backup.test.ts',
  'harness/test/database.test.ts',
  'harness/test/fuzz.test.ts',
  'harness/test/move/interrupted.test.ts',
  'harness/test/console/hostileContent.test.ts',
  'harness/test/console/sessionEnds.test.ts',
  'harness/test/console/roles.test.ts',
  'harness/test/console/signIn.test.ts',
  'harness/test/console/replays.test.ts',
  'packages/server/test/storage/sqlite.conformance.test.ts',
  'packages/server/test/engine/breaker/outage.test.ts',
  'packages/demo/test/demo.test.ts',
  'packages/server/test/http/authorization.test.ts',
  'packages/server/test/http/idempotency.test.ts',
  'packages/server/test/cli/move/interrupted.test.ts',
]

/** Starts the longest files first: one that starts last leaves the other cores without work. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    for (const file of LONGEST)
      if (!existsSync(path.join(root, file)))
        throw new Error(`tools/longestFirst.ts lists ${file}, which does not exist`)
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.indexOf(path.relative(root, moduleId))
      return at === -1 ? LONGEST.length : at
    }
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => rank(a) - rank(b))
  }
}
