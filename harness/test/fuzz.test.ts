import { expect, test } from 'vitest'
import { fuzzPosthorn } from '../src/fuzz/posthorn/run.ts'
import { findingText, summaryOf } from '../src/fuzz/report.ts'
import { makeTestStore } from './testStore.ts'

const ON_POSTGRES = process.env.POSTHORN_TEST_STORE === 'postgres'
/** So many reach a success of every operation. What they meet on PostgreSQL differs in the store alone. */
const REQUESTS = ON_POSTGRES ? 2_500 : 15_000

test('whatever is sent, the service answers in time and as its documents say, and is as well as before', async () => {
  const seed = Date.now() % 1_000_000
  process.stdout.write(`fuzz test: seed ${seed}\n`)
  const { settings, remove } = await makeTestStore()
  const report = await fuzzPosthorn({ requests: REQUESTS, seed, settings })
  await remove()
  process.stdout.write(`fuzz test: ${summaryOf(report)}\n`)
  const findings = report.findings.map((finding) => findingText(finding, seed))
  expect(findings, `seed ${seed}\n${findings.join('\n\n')}`).toEqual([])
  expect(report.complaints, `seed ${seed}`).toEqual([])
  expect(report.requests).toBe(REQUESTS)
  // Requests that are all refused at the door would show nothing.
  if (!ON_POSTGRES) expect(report.coverage.withoutSuccess()).toEqual([])
}, 900_000)
