import { afterAll, beforeAll, expect, test } from 'vitest'
import { runOutage } from '../src/outage/outage.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'

let directory: string

beforeAll(() => {
  directory = makeDirectory()
})
afterAll(() => removeDirectory(directory))

test('a dead forward proxy uses up no attempt, and all waiting deliveries arrive after it', async () => {
  const options = { store: 'sqlite', way: 'proxy-dead', seconds: 15, measuredMs: 10_000, directory } as const
  const report = await runOutage(options)
  expect(report.waited).toBeGreaterThan(100)
  expect(report).toMatchObject({ webhooksOff: 0, attemptsUsed: 0, emails: 0, refusedPublishes: 0 })
  expect(report.cameThrough).toBeLessThan(10)
  expect(report.deliveredWithinMs).not.toBeNull()
})
