import { compareIds, complaintsOf } from '../load/idFile.ts'
import { drain } from '../measure/counting.ts'
import { type Load, openLoad } from '../measure/loads.ts'
import { ANSWER_FIGURES, answerComplaints, answerFigures } from './answers.ts'
import type { Attacker, AttackScene } from './attack.ts'

/** All that a workspace of the content service may have. */
const WEBHOOKS = 10

export const GREEDY_FIGURES = { refusedRequests: ANSWER_FIGURES.refusedRequests } as const

interface Published {
  readonly acknowledged: number
  /** Publishes, by status or error. */
  readonly failed: Readonly<Record<string, number>>
}

/** A workspace with as many webhooks as it may have, each of whose events reaches one of them. */
export const openGreedyLoad = ({ stage, url }: AttackScene): Promise<Load> =>
  openLoad(stage, () => url, WEBHOOKS, 0)

/** Lawful events, and many of them: each that was accepted has to arrive once. */
export function greedyAttacker(
  { receiver, files }: Load,
  publisherPid: number,
  finishPublishing: () => Promise<Published>,
): Attacker {
  return {
    pids: [publisherPid, receiver.pid],
    delivered: async () => (await receiver.ask({ kind: 'count' }, 'count')).deliveries,
    async finish() {
      const { acknowledged, failed } = await finishPublishing()
      await drain(receiver, acknowledged)
      await receiver.ask({ kind: 'finish' }, 'finished')
      const answers = { publish: failed }
      return {
        figures: { refusedRequests: answerFigures({ answers }).refusedRequests },
        complaints: [
          ...answerComplaints(answers, () => false),
          ...complaintsOf(compareIds(files.acknowledged, files.received)),
        ],
      }
    },
  }
}
