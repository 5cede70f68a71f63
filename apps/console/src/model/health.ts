// How the whole service is, for operators.

import { countAttempts, type Figures } from './figures.ts'
import { counted, deliveriesText } from './numbers.ts'
import type { WebhookState } from './webhook.ts'

export interface NodeState {
  readonly id: number
  /** The node that told this. */
  readonly answering: boolean
  /** `null`: an older release did not keep it. */
  readonly started_at: string | null
  readonly lease_expires_at: string
  readonly alive: boolean
}

/** A time in which no node could send. ISO 8601. */
export interface Outage {
  readonly began_at: string
  /** `null`: it lasts. */
  readonly ended_at: string | null
  /** Deliveries that were due when it ended, or are due now. */
  readonly waited: number
}

/** Something that an operator should look after. */
export interface OperatorWarning {
  readonly code: string
  readonly text: string
  /** ISO 8601. */
  readonly since: string
}

export interface Queue {
  readonly pending: number
  readonly due: number
  /** Due deliveries of webhooks with a limit, which are not counted in `due`. */
  readonly limited: number
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
  readonly state: WebhookState
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
  readonly warnings: readonly OperatorWarning[]
  /** Of the last hour, those with the most failed attempts. */
  readonly failing: readonly FailingWebhook[]
  /** Whether there are more than these. */
  readonly moreFailing: boolean
  /** Of the last hour. */
  readonly totals: Figures['totals']
}

/** A delivery that is due is sent within seconds; later than this it is late, and then it is stuck. */
const LATE_MS = 60_000
const STUCK_MS = 300_000
/** Fewer attempts than this say nothing of how receivers are. */
const TELLING_ATTEMPTS = 3
/** Busy receivers refuse one now and then; the next that they take shows that they do not fail. */
const TELLING_MS = 60_000
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
    ...ofWebhooks(signs, now),
    ...ofWarnings(signs),
  ].sort((a, b) => Number(b.level === 'bad') - Number(a.level === 'bad'))
  const first = findings[0]
  if (first === undefined) return { level: 'good', title: 'All is well', sentences: [wellText(signs)] }
  return {
    level: first.level,
    title: first.title,
    sentences: [first.sentence, ...findings.slice(1).map(({ title, sentence }) => `${title}. ${sentence}`)],
  }
}

function ofWarnings({ warnings }: Signs): readonly Finding[] {
  if (warnings.length === 0) return []
  const many = counted(warnings.length, 'warning')
  const found: Finding = { level: 'warning', title: many, sentence: 'See the list below.' }
  if (!warnings.some(({ code }) => code === 'sending_held')) return [found]
  const sentence = 'It holds sending. Nothing is lost, and nothing counts against any webhook.'
  const held: Finding = { level: 'bad', title: 'This node can reach no receiver', sentence }
  return warnings.length === 1 ? [held] : [held, found]
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

/** One that was switched off after its refusals gets no further attempts, and one that is paused is not to. */
function isFailing({ state, failed, success_rate }: FailingWebhook, now: number): boolean {
  if (state.kind === 'off') return success_rate !== null && success_rate < HALF
  if (state.kind !== 'failing') return false
  return failed >= TELLING_ATTEMPTS && now - Date.parse(state.since) >= TELLING_MS
}

function ofWebhooks({ failing, moreFailing }: Signs, now: number): readonly Finding[] {
  const count = failing.filter((webhook) => isFailing(webhook, now)).length
  if (count === 0) return []
  return [
    {
      level: 'warning',
      title: moreFailing
        ? `At least ${counted(count, 'webhook')} ${count === 1 ? 'fails' : 'fail'}`
        : `${counted(count, 'webhook')} ${count === 1 ? 'fails' : 'fail'}`,
      sentence:
        'Receivers refuse all that they are sent, or do not answer, or were switched off for it in the last hour. Their owners can mend it.',
    },
  ]
}

const wellText = ({ nodes, queue }: Signs) =>
  `${counted(nodes.length, 'node')} ${nodes.length === 1 ? 'is' : 'are'} at work, ${
    queue.due === 0 ? 'nothing is overdue' : 'what is due is sent at once'
  }, and receivers take what they are sent.`
