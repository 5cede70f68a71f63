import { expect, test } from 'vitest'
import { fuzzPosthorn } from '../src/fuzz/posthorn/run.ts'
import { findingText, summaryOf } from '../src/fuzz/report.ts'
import { dose } from './dose.ts'
import { makeTestStore } from './testStore.ts'

/** Per round. One round rarely makes every operation succeed, since that takes luck. */
const REQUESTS = dose(8_000, 20_000)
const MOST_ROUNDS = 4

test('whatever is sent, the service answers in time and as documented, and stays healthy', async () => {
  /** Requests that are all rejected at authorization would prove nothing. */
  let withoutSuccess = await oneRound()
  for (let round = 1; round < MOST_ROUNDS && withoutSuccess.length > 0; round++) {
    const left = await oneRound()
    withoutSuccess = withoutSuccess.filter((operation) => left.includes(operation))
  }
  expect(withoutSuccess).toEqual([])
}, 900_000)

/** @returns operations that have not succeeded */
async function oneRound(): Promise<readonly string[]> {
  const seed = Math.floor(Math.random() * 1_000_000)
  process.stdout.write(`fuzz test: seed ${seed}\n`)
  const { settings, remove } = await makeTestStore()
  const report = await fuzzPosthorn({ requests: REQUESTS, seed, settings })
  await remove()
  process.stdout.write(`fuzz test: ${summaryOf(report)}\n`)
  const findings = report.findings.map((finding) => findingText(finding, seed))
  expect(findings, `seed ${seed}\n${findings.join('\n\n')}`).toEqual([])
  expect(report.complaints, `seed ${seed}`).toEqual([])
  expect(report.requests).toBe(REQUESTS)
  return report.coverage.withoutSuccess()
}
