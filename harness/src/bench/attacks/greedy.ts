import { type Load, openLoad } from '../measure/loads.ts'
import { ANSWER_METRICS, answerComplaints, answerMetrics } from './answers.ts'
import type { Attacker, AttackScene } from './attack.ts'
import { loadAttacker } from './loadAttacker.ts'

/** The most webhooks that a workspace of the content service may have. */
const WEBHOOKS = 10

export const GREEDY_METRICS = { refusedRequests: ANSWER_METRICS.refusedRequests } as const

interface Published {
  readonly acknowledged: number
  /** Publishes, by status or error. */
  readonly failed: Readonly<Record<string, number>>
}

/** A workspace with the maximum number of webhooks. Each event reaches one of them. */
export const openGreedyLoad = ({ stage, url }: AttackScene): Promise<Load> =>
  openLoad(stage, () => url, WEBHOOKS, 0)

/** Valid events at a high rate. */
export function greedyAttacker(
  load: Load,
  pid: number,
  finishPublishing: () => Promise<Published>,
): Attacker {
  const finish = async () => {
    const { acknowledged: accepted, failed } = await finishPublishing()
    return { accepted, answers: { publish: failed } }
  }
  return loadAttacker(load, { pid, finish }, ({ answers }) => ({
    metrics: { refusedRequests: answerMetrics({ answers }).refusedRequests },
    complaints: answerComplaints(answers, () => false),
  }))
}
