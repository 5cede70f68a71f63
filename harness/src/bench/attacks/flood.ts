import { whole } from '../frame/metrics.ts'
import { batchesOf } from '../load/prepareLoad.ts'
import { openLoad } from '../measure/loads.ts'
import { rawRequest } from '../raw/rawRequest.ts'
import { ANSWER_METRICS, answerComplaints, answerMetrics } from './answers.ts'
import type { Attack } from './attack.ts'
import { loadAttacker, startSender } from './loadAttacker.ts'

const FLAGS = {
  'flood-rate': { kind: 'count', help: 'flood: target rate of publish requests per second', usual: 2_000 },
  'flood-events': { kind: 'count', help: 'flood: events in each request', usual: 100 },
  'flood-connections': { kind: 'count', help: 'flood: maximum number of connections', usual: 256 },
  'flood-requests': { kind: 'count', help: 'flood: maximum number of publish requests', usual: 200_000 },
} as const

const WEBHOOKS = 10
const ANSWERED_WITHIN_MS = 60_000
const RECONNECT_MS = 100

/**
 * Publishes valid events far faster than the service can accept them, whatever it answers: about 200,000
 * events a second, ten times the deliveries of two cores.
 */
export const flood: Attack<typeof FLAGS> = {
  name: 'flood',
  flags: FLAGS,
  metrics: {
    floodOffered: whole('flood: events sent'),
    floodAccepted: whole('flood: events accepted'),
    unsentRequests: whole('flood: no connection free'),
    ...ANSWER_METRICS,
  },

  async start(scene) {
    const { stage, url, flags } = scene
    const load = await openLoad(stage, () => url, WEBHOOKS, 0)
    const events = flags['flood-events']
    const [batch] = batchesOf(load.hooks, events)
    const { path, key, body } = batch!
    const sender = await startSender(scene, {
      requests: [rawRequest({ url, path, key }, 'batch', body)],
      connections: flags['flood-connections'],
      perSecond: flags['flood-rate'],
      maxRequests: flags['flood-requests'],
      endWithinMs: ANSWERED_WITHIN_MS,
      reconnectMs: RECONNECT_MS,
      idsFile: load.files.acknowledged,
    })
    return loadAttacker(load, sender, (report) => {
      const answered = Object.values(report.answers).flatMap((byStatus) => Object.values(byStatus))
      const requests = answered.reduce((sum, one) => sum + one, report.unsent)
      return {
        metrics: {
          floodOffered: requests * events,
          floodAccepted: report.accepted,
          unsentRequests: report.unsent,
          ...answerMetrics(report),
        },
        complaints: answerComplaints(report.answers, (_, status) => status === '202'),
      }
    })
  },
}
