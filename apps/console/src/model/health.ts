// Health of the whole service, for operators.

import { counted, countText, deliveriesText } from './numbers.ts'
import type { DeliveryCounts } from './stats.ts'
import type { OldestPending } from './waiting.ts'
import type { WebhookState } from './webhook.ts'

export interface NodeState {
  readonly id: number
  /** Whether this node sent the response. */
  readonly answering: boolean
  /** `null`: not recorded by an older release. */
  readonly started_at: string | null
  readonly lease_expires_at: string
  readonly alive: boolean
}

/** A period in which no node could send. Times are ISO 8601. */
export interface Outage {
  readonly began_at: string
  /** `null`: ongoing. */
  readonly ended_at: string | null
  /** Deliveries that were due at its end, or are due now. */
  readonly waited: number
}

/** A condition that needs an operator's attention. */
export interface OperatorWarning {
  readonly code: string
  readonly text: string
  /** ISO 8601. */
  readonly since: string
}

export interface Queue {
  readonly pending: number
  readonly due: number
  /** Due deliveries of webhooks with a limit, not included in `due`. */
  readonly limited: number
  /** ISO 8601; when the oldest due delivery became due. */
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
  /** Share of finished deliveries, from 0 to 1. */
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

/** Webhooks by state. */
export interface WebhookCounts {
  readonly on: number
  /** Enabled webhooks whose attempts have all failed since the last success. */
  readonly failing: number
  /** Webhooks disabled because of failures in the last hour. */
  readonly disabled_last_hour: number
}

/** Current state of the whole service, with the same numbers as `/metrics`. */
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
  /** Overall status. */
  readonly title: string
  readonly sentences: readonly string[]
}

export interface Signs {
  readonly nodes: readonly NodeState[]
  readonly warnings: readonly OperatorWarning[]
  readonly overview: Overview
}

/** Due deliveries are normally sent within seconds. Later ones are a warning, and then an error. */
const LATE_MS = 60_000
const STUCK_MS = 300_000
/** Fewest deliveries for a conclusion about all receivers. */
const TELLING_TOTAL = 50

interface Finding {
  readonly level: 'warning' | 'bad'
  readonly title: string
  readonly sentence: string
}

/** Overall health of the service. @param now Unix ms @param timeText formats an ISO 8601 time */
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
  const sentence = 'It has paused sending. No event is lost, and no attempt counts as a failure of a webhook.'
  const held: Finding = { level: 'bad', title: 'This node cannot reach any receiver', sentence }
  return warnings.length === 1 ? [held] : [held, found]
}

function ofNodes({ nodes }: Signs): readonly Finding[] {
  const alive = nodes.filter((node) => node.alive).length
  if (alive === 0) {
    const sentence = 'Nothing is sent until a node is started and has a lease in the store.'
    return [{ level: 'bad', title: 'No node is running', sentence }]
  }
  const gone = nodes.length - alive
  if (gone === 0) return []
  return [
    {
      level: 'warning',
      title: `${counted(gone, 'node')} stopped unexpectedly`,
      sentence: `${counted(alive, 'remaining node')} took over ${gone === 1 ? 'its' : 'their'} deliveries.`,
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
      title:
        due === 1
          ? `1 delivery has been due since ${timeText(oldest_due_at)}`
          : `${deliveriesText(due)} are due, the oldest since ${timeText(oldest_due_at)}`,
      sentence:
        'Sending does not keep up. Check that all nodes are running, and whether the store or the network is slow.',
    },
  ]
}

function ofLastHour({ overview }: Signs): readonly Finding[] {
  // Canceled deliveries do not count: disabling one webhook may cancel a large backlog.
  const { delivered, failed } = overview.last_hour.deliveries
  if (delivered + failed < TELLING_TOTAL || failed <= delivered) return []
  return [
    {
      level: 'bad',
      title: 'Most deliveries of the last hour failed',
      sentence: "When many receivers fail at once, check this service's own network and DNS first.",
    },
  ]
}

/** "2 of 40 enabled webhooks are failing". */
export const failingText = ({ failing, on }: WebhookCounts, noun = 'webhook'): string =>
  `${countText(failing)} of ${counted(on, `enabled ${noun}`)} ${failing === 1 ? 'is' : 'are'} failing`

function ofWebhooks({ overview: { webhooks } }: Signs): readonly Finding[] {
  const findings: Finding[] = []
  if (webhooks.failing > 0) {
    findings.push({
      level: 'warning',
      title: failingText(webhooks),
      sentence:
        'The receivers reject requests or do not respond. The owners of the webhooks need to fix them.',
    })
  }
  const { disabled_last_hour: disabled } = webhooks
  if (disabled > 0) {
    findings.push({
      level: 'warning',
      title: `${counted(disabled, 'webhook')} ${disabled === 1 ? 'was' : 'were'} disabled in the last hour`,
      sentence:
        'Their receivers failed for too long or responded with 410. Their owners can enable them again.',
    })
  }
  return findings
}

/** Attempts may have failed although every webhook has recovered. The verdict then mentions them. */
function wellVerdict({ nodes, overview }: Signs): Verdict {
  const { failed_attempts: failed, attempts } = overview.last_hour
  const work = `${counted(nodes.length, 'node')} ${nodes.length === 1 ? 'is' : 'are'} running, ${
    overview.due === 0 ? 'nothing is overdue' : 'due deliveries are sent immediately'
  }`
  if (failed === 0) {
    return {
      level: 'good',
      title: 'All is well',
      sentences: [`${work}, and no attempt in the last hour failed.`],
    }
  }
  return {
    level: 'good',
    title: 'No webhook is failing now',
    sentences: [
      `${work}. ${countText(failed)} of ${counted(attempts, 'attempt')} in the last hour failed. Since then, every receiver has accepted a request, or its webhook was disabled or paused.`,
    ],
  }
}
