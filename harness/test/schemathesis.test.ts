import { expect, test } from 'vitest'
import { provideSchemathesis } from '../src/schemathesis/install.ts'
import { checkDocuments } from '../src/schemathesis/run.ts'
import { dose } from './dose.ts'

const { program, missing } = await provideSchemathesis()
if (missing !== null) process.stderr.write(`Schemathesis is skipped. ${missing}\n`)

test.skipIf(program === null)(
  'Schemathesis finds nothing in the documents of a running service with all of its checks',
  async () => {
    const reports = await checkDocuments(program!, { examples: dose(2, 20) })
    for (const { document, requests, operations } of reports) {
      process.stdout.write(
        `Schemathesis: ${document}, ${operations.tested} operations, ${requests} requests\n`,
      )
    }
    expect(
      reports
        .filter(({ findings }) => findings !== '')
        .map(({ findings }) => findings)
        .join('\n'),
    ).toBe('')
    for (const { operations } of reports) expect(operations.tested).toBe(operations.total)
  },
  dose(900_000, 3_600_000),
)
