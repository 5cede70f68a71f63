// How the whole service is, for operators.

import type { DeliveryCounts } from './figures.ts'
import { counted, countText, deliveriesText } from './numbers.ts'
import type { OldestPending } from './waiting.ts'
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
  readonly deliveries: DeliveryCounts
  /** Of the deliveries that ended, from 0 to 1. */
  readonly success_rate: number | null
  readonly attempts: number
  readonly failed: number
  readonly last_error: { readonly code: string; readonly message: string; readonly at: string } | null
}

export interface BusyWorkspace {
  readonly workspace: WorkspaceName
  readonly events: number
  readonly deliveries: DeliveryCounts
  readonly success_rate: number | null
  readonly attempts: number
  readonly failed: number
}

/** How webhooks stand now. */
export interface WebhookCounts {
  readonly on: number
  /** Those of them whose every attempt since the last success failed. */
  readonly failing: number
  /** Those that were disabled for their failures in the last hour. */
  readonly disabled_last_hour: number
}

/** How the whole service stands; `/metrics` says the same. */
export interface Overview {
  readonly webhooks: WebhookCounts
  readonly last_hour: {
    readonly deliveries: DeliveryCounts
    readonly success_rate: number | null
    readonly attempts: number
    readonly failed_attempts: number
  }
  readonly pending: number
  readonly due: number
  readonly oldest_due_at: string | null
  readonly oldest_pending: OldestPending | null
}

export interface Verdict {
  readonly level: 'good' | 'warning' | 'bad'
  /** In a few words, is everything all right. */
  readonly title: string
  readonly sentences: readonly string[]
}

export interface Signs {
  readonly nodes: readonly NodeState[]
  readonly warnings: readonly OperatorWarning[]
  readonly overview: Overview
}

/** A delivery that is due is sent within seconds; later than this it is late, and then it is stuck. */
const LATE_MS = 60_000
const STUCK_MS = 300_000
/** Fewer deliveries than this say nothing of how all receivers are. */
const TELLING_TOTAL = 50

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
    ...ofLastHour(signs),
    ...ofWebhooks(signs),
    ...ofWarnings(signs),
  ].sort((a, b) => Number(b.level === 'bad') - Number(a.level === 'bad'))
  const first = findings[0]
  if (first === undefined) return wellVerdict(signs)
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

function ofQueue({ overview }: Signs, now: number, timeText: (at: string) => string): readonly Finding[] {
  const { due, oldest_due_at } = overview
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

function ofLastHour({ overview }: Signs): readonly Finding[] {
  // Canceled deliveries say nothing of receivers: one disabled webhook may cancel a large backlog.
  const { delivered, failed } = overview.last_hour.deliveries
  if (delivered + failed < TELLING_TOTAL || failed <= delivered) return []
  return [
    {
      level: 'bad',
      title: 'Most deliveries of the last hour failed',
      sentence:
        "When many receivers fail at once, look at this service's own network and name resolution first.",
    },
  ]
}

/** "2 of 40 webhooks are failing". */
export const failingText = ({ failing, on }: WebhookCounts, noun = 'webhook'): string =>
  `${countText(failing)} of ${counted(on, noun)} ${failing === 1 ? 'is' : 'are'} failing`

function ofWebhooks({ overview: { webhooks } }: Signs): readonly Finding[] {
  const findings: Finding[] = []
  if (webhooks.failing > 0) {
    findings.push({
      level: 'warning',
      title: failingText(webhooks),
      sentence: 'Their receivers reject requests or do not answer. Their owners need to fix them.',
    })
  }
  const { disabled_last_hour: disabled } = webhooks
  if (disabled > 0) {
    findings.push({
      level: 'warning',
      title: `${counted(disabled, 'webhook')} ${disabled === 1 ? 'was' : 'were'} disabled in the last hour`,
      sentence: 'The receivers failed for too long or answered 410. Their owners can enable them again.',
    })
  }
  return findings
}

/** Attempts may have failed, though every webhook delivers again: that is said, and not called well. */
function wellVerdict({ nodes, overview }: Signs): Verdict {
  const { failed_attempts: failed, attempts } = overview.last_hour
  const work = `${counted(nodes.length, 'node')} ${nodes.length === 1 ? 'is' : 'are'} at work, ${
    overview.due === 0 ? 'nothing is overdue' : 'what is due is sent at once'
  }`
  if (failed === 0) {
    return {
      level: 'good',
      title: 'All is well',
      sentences: [`${work}, and no attempt of the last hour failed.`],
    }
  }
  return {
    level: 'good',
    title: 'No webhook is failing now',
    sentences: [
      `${work}. ${countText(failed)} of ${counted(attempts, 'attempt')} in the last hour failed; every receiver has accepted a request since, or is off or paused.`,
    ],
  }
}
