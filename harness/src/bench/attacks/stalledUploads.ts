import { decimals, whole } from '../frame/metrics.ts'
import { prepareLoad } from '../load/prepareLoad.ts'
import type { Spread } from '../measure/latencies.ts'
import { rawRequest } from '../raw/rawRequest.ts'
import type { RawReport } from '../raw/rawSender.ts'
import { ANSWER_METRICS, answerComplaints, answerMetrics } from './answers.ts'
import type { Attack } from './attack.ts'
import { startSender } from './loadAttacker.ts'

const FLAGS = {
  uploads: { kind: 'count', help: 'stalled-uploads: uploads at the same time', usual: 150, quick: 50 },
} as const

const BODY_BYTES = 5_000_000
/** Uploads of only blanks would be rejected before they stall. */
const EVENT_BYTES = 10_000
const UNSENT_BYTES = 100_000
/** Unreachable: published events never arrive. */
const RECEIVER = 'http://127.0.0.1:1'
/** A service that allows a request 30 s and checks every 30 s closes it within a minute. */
const CLOSED_WITHIN_MS = 90_000
/** Avoids thousands of requests a second to a service that rejects uploads at once. */
const RENEWED_AFTER_MS = 1_000

/**
 * Only uploads that were started: those rejected at once, for lack of room or rights, do not show how long
 * one may stall.
 */
const ENDED = ['408', 'closed']

const longestOf = (times: RawReport['times']): Spread | undefined =>
  ENDED.flatMap((status) => times[status] ?? []).sort((a, b) => b.maxMs - a.maxMs)[0]

/** Uploads that stop shortly before their end, and start again whenever the service closes them. */
export const stalledUploads: Attack<typeof FLAGS> = {
  name: 'stalled-uploads',
  flags: FLAGS,
  metrics: {
    uploadClosedP50Seconds: decimals('uploads: 408 or closed after s, p50', 1),
    uploadClosedMaxSeconds: decimals('uploads: 408 or closed after s, max', 1),
    uploadsOpen: whole('uploads: still open at the end'),
    ...ANSWER_METRICS,
  },

  async start(scene) {
    const { url, flags, maxSeconds } = scene
    const [hook] = await prepareLoad(() => url, { webhooks: 1, receiverOrigin: RECEIVER, group: 'uploads' })
    const { batchPath: path, key } = hook!
    const event = { type: 'x'.repeat(EVENT_BYTES) }
    const body = JSON.stringify({ events: Array(Math.floor(BODY_BYTES / EVENT_BYTES)).fill(event) })
    const sender = await startSender(scene, {
      requests: [rawRequest({ url, path, key }, 'upload', body, UNSENT_BYTES)],
      connections: flags.uploads,
      perSecond: null,
      maxRequests: flags.uploads * maxSeconds,
      endWithinMs: CLOSED_WITHIN_MS,
      reconnectMs: RENEWED_AFTER_MS,
      idsFile: null,
    })
    return {
      pids: [sender.pid],
      delivered: async () => 0,
      async finish() {
        const report = await sender.finish()
        const ended = longestOf(report.times)
        return {
          metrics: {
            uploadClosedP50Seconds: (ended?.p50Ms ?? Number.NaN) / 1000,
            uploadClosedMaxSeconds: (ended?.maxMs ?? Number.NaN) / 1000,
            uploadsOpen: report.open,
            ...answerMetrics(report),
          },
          complaints: answerComplaints(report.answers, (_, status) => status.startsWith('4')),
        }
      },
    }
  },
}
