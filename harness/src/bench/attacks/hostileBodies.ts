import { compareIds, complaintsOf } from '../load/idFile.ts'
import { drain } from '../measure/counting.ts'
import { openLoad } from '../measure/loads.ts'
import { rawRequest } from '../raw/rawRequest.ts'
import { RawSender } from '../raw/sender.ts'
import { ANSWER_FIGURES, answerComplaints, answerFigures } from './answers.ts'
import { type Attack, LINE_BYTES_PER_SECOND } from './attack.ts'
import { HOSTILE_BODIES } from './bodies.ts'

const NAMES = HOSTILE_BODIES.map(({ name }) => name)
const LAWFUL = HOSTILE_BODIES.filter(({ isLawful }) => isLawful).map(({ name }) => name)

const FLAGS = {
  'hostile-connections': { kind: 'count', help: 'hostile-bodies: one request at a time on each', usual: 4 },
  bodies: {
    kind: 'names',
    help: 'hostile-bodies: those to send, in turn',
    choices: NAMES,
    usual: NAMES,
  },
} as const

const ANSWERED_WITHIN_MS = 60_000
const RECONNECT_MS = 10

/** One key posts the worst bodies, as fast as they are answered. */
export const hostileBodies: Attack<typeof FLAGS> = {
  name: 'hostile-bodies',
  flags: FLAGS,
  figures: ANSWER_FIGURES,

  async start({ stage, url, flags, maxSeconds }) {
    const { hooks, receiver, files } = await openLoad(stage, () => url, 1, 0)
    const { batchPath: path, key, event } = hooks[0]!
    const sender = await RawSender.start(stage, {
      port: Number(new URL(url).port),
      requests: HOSTILE_BODIES.filter(({ name }) => flags.bodies.includes(name)).map(({ name, make }) =>
        rawRequest({ url, path, key }, name, make(event)),
      ),
      connections: flags['hostile-connections'],
      perSecond: null,
      maxRequests: Number.POSITIVE_INFINITY,
      maxSeconds,
      endWithinMs: ANSWERED_WITHIN_MS,
      bytesPerSecond: LINE_BYTES_PER_SECOND,
      reconnectMs: RECONNECT_MS,
      idsFile: files.acknowledged,
    })
    return {
      pids: [sender.pid, receiver.pid],
      delivered: async () => (await receiver.ask({ kind: 'count' }, 'count')).deliveries,
      async finish() {
        const report = await sender.finish()
        await drain(receiver, report.accepted)
        await receiver.ask({ kind: 'finish' }, 'finished')
        return {
          figures: answerFigures(report),
          complaints: [
            ...answerComplaints(report.answers, isExpected),
            ...complaintsOf(compareIds(files.acknowledged, files.received)),
          ],
        }
      },
    }
  },
}

const isExpected = (name: string, status: string) =>
  LAWFUL.includes(name) ? status === '202' : status.startsWith('4')
