import { openLoad } from '../measure/loads.ts'
import { rawRequest } from '../raw/rawRequest.ts'
import { ANSWER_METRICS, answerComplaints, answerMetrics } from './answers.ts'
import type { Attack } from './attack.ts'
import { HOSTILE_BODIES } from './bodies.ts'
import { loadAttacker, startSender } from './loadAttacker.ts'

const NAMES = HOSTILE_BODIES.map(({ name }) => name)
const LAWFUL = HOSTILE_BODIES.filter(({ isLawful }) => isLawful).map(({ name }) => name)

const FLAGS = {
  'hostile-connections': {
    kind: 'count',
    help: 'hostile-bodies: connections, each with one request at a time',
    usual: 4,
  },
  bodies: {
    kind: 'names',
    help: 'hostile-bodies: names of the bodies to send, in turn',
    choices: NAMES,
    usual: NAMES,
  },
} as const

const ANSWERED_WITHIN_MS = 60_000
const RECONNECT_MS = 10

/** One key posts the most expensive bodies, as fast as they are answered. */
export const hostileBodies: Attack<typeof FLAGS> = {
  name: 'hostile-bodies',
  flags: FLAGS,
  metrics: ANSWER_METRICS,

  async start(scene) {
    const { stage, url, flags } = scene
    const load = await openLoad(stage, () => url, 1, 0)
    const { batchPath: path, key, event } = load.hooks[0]!
    const sender = await startSender(scene, {
      requests: HOSTILE_BODIES.filter(({ name }) => flags.bodies.includes(name)).map(({ name, make }) =>
        rawRequest({ url, path, key }, name, make(event)),
      ),
      connections: flags['hostile-connections'],
      perSecond: null,
      maxRequests: Number.POSITIVE_INFINITY,
      endWithinMs: ANSWERED_WITHIN_MS,
      reconnectMs: RECONNECT_MS,
      idsFile: load.files.acknowledged,
    })
    return loadAttacker(load, sender, (report) => ({
      metrics: answerMetrics(report),
      complaints: answerComplaints(report.answers, isExpected),
    }))
  },
}

const isExpected = (name: string, status: string) =>
  LAWFUL.includes(name) ? status === '202' : status.startsWith('4')
