// How the whole service is, for operators.

import { countAttempts, type Figures } from './figures.ts'
import { counted, deliveriesText } from './numbers.ts'
import type { WebhookStatus } from './webhook.ts'

export interface NodeState {
  readonly id: number
  /** The node that told this. */
  readonly answering: boolean
  /** `null`: an older release did not keep it. */
  readonly started_at: string | null
  readonly lease_expires_at: string
  readonly alive: boolean
}

export interface Queue {
  readonly pending: number
  readonly due: number
  /** ISO 8601; since when the oldest one that is due is due. */
  readonly oldest_due_at: string | null
}

interface WorkspaceName {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly dialect: string
}

export interface FailingWebhook {
  readonly workspace: WorkspaceName
  readonly webhook_id: string
  readonly url: string
  readonly description: string
  readonly status: WebhookStatus
  readonly attempts: number
  readonly failed: number
  /** From 0 to 1. */
  readonly success_rate: number | null
  readonly last_error: { readonly code: string; readonly message: string; readonly at: string } | null
}

export interface BusyWorkspace {
  readonly workspace: WorkspaceName
  readonly events: number
  readonly attempts: number
  readonly failed: number
  readonly success_rate: number | null
}

export interface Verdict {
  readonly level: 'good' | 'warning' | 'bad'
  /** In a few words, is everything all right. */
  readonly title: string
  readonly sentences: readonly string[]
}

export interface Signs {
  readonly nodes: readonly NodeState[]
  readonly queue: Queue
  /** Of the last hour, those with the most failed attempts. */
  readonly failing: readonly FailingWebhook[]
  /** Whether there are more than these. */
  readonly moreFailing: boolean
  /** Ids of those of them that took their newest delivery. */
  readonly recovered: ReadonlySet<string>
  /** Of the last hour. */
  readonly totals: Figures['totals']
}

/** A delivery that is due is sent within seconds; later than this it is late, and then it is stuck. */
const LATE_MS = 60_000
const STUCK_MS = 300_000
/** Fewer attempts than this say nothing of how receivers are. */
const TELLING_ATTEMPTS = 3
const TELLING_TOTAL = 50
/** Below this a receiver is failing, or if it is of all, more than receivers. */
const HALF = 0.5

interface Finding {
  readonly level: 'warning' | 'bad'
  readonly title: string
  readonly sentence: string
}

/** Whether everything is all right, by what tells it. @param now Unix ms @param timeText a moment for people, from ISO 8601 */
export function verdictOf(signs: Signs, now: number, timeText: (at: string) => string): Verdict {
  const findings = [
    ...ofNodes(signs),
    ...ofQueue(signs, now, timeText),
    ...ofTotals(signs),
    ...ofWebhooks(signs),
  ].sort((a, b) => Number(b.level === 'bad') - Number(a.level === 'bad'))
  const first = findings[0]
  if (first === undefined) return { level: 'good', title: 'All is well', sentences: [wellText(signs)] }
  return {
    level: first.level,
    title: first.title,
    sentences: [first.sentence, ...findings.slice(1).map(({ title, sentence }) => `${title}. ${sentence}`)],
  }
}

function ofNodes({ nodes }: Signs): readonly Finding[] {
  const alive = nodes.filter((node) => node.alive).length
  if (alive === 0) {
    const sentence = 'Nothing is sent until one is started and holds its lease in the store.'
    return [{ level: 'bad', title: 'No node is at work', sentence }]
  }
  const gone = nodes.length - alive
  if (gone === 0) return []
  return [
    {
      level: 'warning',
      title: `${counted(gone, 'node')} stopped without saying so`,
      sentence: `${gone === 1 ? 'Its' : 'Their'} work went on to the ${counted(alive, 'node')} that ${alive === 1 ? 'is' : 'are'} left.`,
    },
  ]
}

function ofQueue({ queue }: Signs, now: number, timeText: (at: string) => string): readonly Finding[] {
  const { due, oldest_due_at } = queue
  if (oldest_due_at === null || due === 0) return []
  const age = now - new Date(oldest_due_at).getTime()
  if (age < LATE_MS) return []
  return [
    {
      level: age < STUCK_MS ? 'warning' : 'bad',
      title: `${deliveriesText(due)} ${due === 1 ? 'is' : 'are'} due since ${timeText(oldest_due_at)} or later`,
      sentence:
        'Sending does not keep up. Look whether all nodes run, and whether the store or the network is slow.',
    },
  ]
}

function ofTotals({ totals }: Signs): readonly Finding[] {
  const attempts = countAttempts(totals.attempts)
  if (attempts < TELLING_TOTAL || totals.success_rate === null || totals.success_rate >= HALF) return []
  return [
    {
      level: 'bad',
      title: 'Most attempts of the last hour failed',
      sentence:
        "When many receivers fail at once, look at this service's own network and name resolution first.",
    },
  ]
}

/**
 * Those that refused most of what they were sent, some of which take it again by now: that their newest deliveries tell.
 * One that was switched off meanwhile gets no further attempts, and one that is paused is not to.
 */
export const maybeFailing = (failing: readonly FailingWebhook[]): readonly FailingWebhook[] =>
  failing.filter(({ status, attempts, success_rate }) => {
    const isTelling = status === 'off' || (status === 'on' && attempts >= TELLING_ATTEMPTS)
    return isTelling && success_rate !== null && success_rate < HALF
  })

function ofWebhooks({ failing, moreFailing, recovered }: Signs): readonly Finding[] {
  const count = maybeFailing(failing).filter(({ webhook_id }) => !recovered.has(webhook_id)).length
  if (count === 0) return []
  return [
    {
      level: 'warning',
      title: moreFailing
        ? `At least ${counted(count, 'webhook')} ${count === 1 ? 'fails' : 'fail'}`
        : `${counted(count, 'webhook')} ${count === 1 ? 'fails' : 'fail'}`,
      sentence:
        'Receivers refused most of what they were sent in the last hour, or did not answer, up to the newest delivery. Their owners can mend it.',
    },
  ]
}

const wellText = ({ nodes, queue }: Signs) =>
  `${counted(nodes.length, 'node')} ${nodes.length === 1 ? 'is' : 'are'} at work, ${
    queue.due === 0 ? 'nothing is overdue' : 'what is due is sent at once'
  }, and receivers take what they are sent.`
