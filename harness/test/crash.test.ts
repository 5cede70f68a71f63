import { expect, test } from 'vitest'
import { runCrash } from '../src/crash/run.ts'

const KILLS = 25

test('kill -9 at random moments loses no acknowledged event, and the log stays true', async () => {
  const seed = Date.now() % 1_000_000
  process.stdout.write(`crash test: seed ${seed}\n`)
  const { contradictions, exitCode, events, unanswered, byPath } = await runCrash({ kills: KILLS, seed })
  process.stdout.write(`crash test: ${JSON.stringify({ events, unanswered, byPath })}\n`)
  expect(contradictions.slice(0, 20), `seed ${seed}: ${contradictions.length} contradictions`).toEqual([])
  expect(exitCode).toBe(0)
  // Kills must have hit something, or the test has shown nothing.
  expect(unanswered).toBeGreaterThan(0)
  expect(Object.values(byPath).reduce((sum, { unrecorded }) => sum + unrecorded, 0)).toBeGreaterThan(0)
}, 240_000)
