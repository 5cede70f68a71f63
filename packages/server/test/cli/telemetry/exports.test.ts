import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { expect, test } from 'vitest'
import { type SpanOutcome, sendSpans } from '../../../src/cli/telemetry/exports.ts'
import { FailureLog } from '../../../src/engine/log/failureLog.ts'
import { ManualClock } from '../../support/manualClock.ts'

function setUp() {
  const log: object[] = []
  const note = (fields: object, message: string) => void log.push({ ...fields, message })
  const answers: ((result: ExportResult) => void)[] = []
  const counts: Record<SpanOutcome, number> = { sent: 0, failed: 0, dropped: 0 }
  const provider = new BasicTracerProvider({
    spanProcessors: [
      sendSpans({
        exporter: { export: (_, done) => answers.push(done), shutdown: async () => {} },
        connections: { export: (exporter, batch, done) => exporter.export(batch, done) },
        exportWithinMs: 3_000,
        failureLog: new FailureLog(new ManualClock(), { info: note, warn: note, error: note }),
        count: (outcome, spans) => {
          counts[outcome] += spans
        },
      }),
    ],
  })
  const tracer = provider.getTracer('test')
  const record = (count: number) => {
    for (let i = 0; i < count; i++) tracer.startSpan('span').end()
  }
  return { answers, counts, record, log, provider }
}

test('while the collector does not answer, a limited number of spans waits, and the others are dropped', async () => {
  const { answers, counts, record, provider } = setUp()
  record(3_000)
  expect(counts).toEqual({ sent: 0, failed: 0, dropped: 3_000 - 2_048 })
  await expect.poll(() => answers.length).toBe(1)
  // A span being sent takes room until it is answered.
  record(1)
  expect(counts.dropped).toBe(3_001 - 2_048)
  answers[0]!({ code: ExportResultCode.SUCCESS })
  expect(counts.sent).toBe(512)
  record(513)
  expect(counts.dropped).toBe(3_002 - 2_048)
  const stopped = provider.shutdown()
  for (let answered = 1; counts.sent < 2_560; answered++) {
    await expect.poll(() => answers.length).toBeGreaterThan(answered)
    answers[answered]!({ code: ExportResultCode.SUCCESS })
  }
  await stopped
})

test("unsent spans are counted, and logged without the collector's answer", async () => {
  const { answers, counts, record, log, provider } = setUp()
  record(2)
  const flushed = provider.forceFlush().catch(() => undefined)
  await expect.poll(() => answers.length).toBe(1)
  answers[0]!({
    code: ExportResultCode.FAILED,
    error: Object.assign(new Error('Bad Request: key c0ffee'), { code: 400 }),
  })
  await flushed
  expect(counts).toEqual({ sent: 0, failed: 2, dropped: 0 })
  expect(JSON.stringify(log)).toContain('the collector answered 400')
  expect(JSON.stringify(log)).not.toContain('c0ffee')
  await provider.shutdown()
})
