import { expect, test } from 'vitest'
import { runCutApart } from '../src/namespaces/apart.ts'
import type { CutOptions } from '../src/namespaces/cutOff.ts'
import { whyNoNamespaces } from '../src/namespaces/ipProgram.ts'

/** If set, the cut has realistic times: the default lease of 30 s, and two minutes. */
const LONG = (process.env.POSTHORN_TEST_LONG_CUT ?? '') !== ''
const CUT: CutOptions = LONG ? { leaseMs: 30_000, cutMs: 120_000 } : { leaseMs: 5_000, cutMs: 20_000 }

test('when a node is disconnected from the database, its deliveries are taken over once its lease has expired, and nothing is lost', {
  timeout: 400_000,
}, async ({ skip }) => {
  const reason = whyNoNamespaces()
  if (reason !== null) {
    process.stdout.write(`cut off: skipped, for there are no network namespaces: ${reason}\n`)
    skip(reason)
  }
  const { metrics, complaints } = await runCutApart(CUT)
  process.stdout.write(`cut off for ${CUT.cutMs / 1000} s: ${JSON.stringify(metrics)}\n`)
  expect(complaints.slice(0, 20)).toEqual([])
})
