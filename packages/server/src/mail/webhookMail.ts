import type { ClaimedNotification } from '../storage/rows.ts'
import { type Block, heading, paragraph } from './blocks.ts'
import { shownInSubject } from './shown.ts'

/** The stored data about a webhook that is disabled or failing, in the form that `storage/queries/notifications.ts` writes. */
interface News {
  readonly webhook_public_id: string
  readonly url: string
  readonly description: string
  readonly reason: string | null
  readonly failing_since: number | null
  readonly last_errors: readonly {
    readonly at: number
    readonly error_code: string | null
    readonly error_message: string | null
    readonly status_code: number | null
  }[]
}

export interface Links {
  /** Where people reach this service, without a slash at the end. */
  readonly publicUrl: string
  /** After failing for this long a webhook of a service is disabled; `null`: never, or there is no such service. */
  readonly disableAfterMs: (service: string) => number | null
  /** Whether recoveries of a service also send missed events; `null`: it has none, or there is no such service. */
  readonly recovery: (service: string) => { readonly missed: boolean } | null
}

type Reported = Pick<ClaimedNotification, 'kind' | 'data' | 'createdAt'> & {
  readonly workspace: NonNullable<ClaimedNotification['workspace']>
}

export function sinceOf({ data }: Pick<ClaimedNotification, 'data'>): number | null {
  return (data as unknown as News).failing_since
}

/** The message about a webhook that was disabled or keeps failing. */
export function composeWebhookMail(
  reported: Reported,
  links: Links,
): { subject: string; blocks: readonly Block[] } {
  const news = reported.data as unknown as News
  const name = news.description.trim() === '' ? news.url : news.description
  const off = reported.kind === 'webhook_off'
  return {
    subject: shownInSubject(`${off ? 'Webhook disabled' : 'Webhook keeps failing'}: ${name}`),
    blocks: [
      paragraph(off ? whatEnded(news) : 'One of your webhooks keeps failing.'),
      facts(reported, news),
      ...errors(news),
      heading('What this means'),
      ...(off ? meaningOfOff(reported, news, links) : meaningOfFailing(reported, links)),
      action(reported, news, links),
      aside(reported, links),
    ],
  }
}

function whatEnded({ reason }: News): string {
  return reason === 'gone'
    ? 'One of your webhooks was disabled because its receiver answered 410 Gone: it wants no more requests.'
    : 'One of your webhooks was disabled because all attempts to deliver to it failed for too long.'
}

function facts({ kind, workspace, createdAt }: Reported, news: News): Block {
  const rows: [string, string][] = [
    ['Webhook', news.description],
    ['URL', news.url],
    ['Workspace', workspace.name],
    ['Failing since', news.failing_since === null ? '' : utc(news.failing_since)],
    ['Disabled', kind === 'webhook_off' ? utc(createdAt) : ''],
  ]
  return { kind: 'facts', rows: rows.filter(([, value]) => value.trim() !== '') }
}

function errors({ last_errors: last }: News): Block[] {
  if (last.length === 0) return []
  const items = last.map((error) => ({
    title: [utc(error.at), error.status_code === null ? error.error_code : `HTTP ${error.status_code}`]
      .filter((part) => part !== null)
      .join(', '),
    text: error.error_message ?? 'The attempt failed.',
  }))
  return [heading(last.length === 1 ? 'The last error' : 'The last errors'), { kind: 'items', items }]
}

function meaningOfOff({ workspace }: Reported, { reason }: News, { recovery }: Links): Block[] {
  const first =
    reason === 'gone'
      ? 'If you want no more events, there is nothing to do.'
      : 'Nothing is sent to it until you enable it again. Fix the receiver first.'
  const recover = recovery(workspace.dialect)
  const canceled = 'Pending deliveries were canceled.'
  const again = 'After you enable the webhook, use Recover to send them again.'
  const missed =
    recover?.missed === true
      ? 'Recover also sends the events that were published while the webhook was disabled.'
      : 'Events that are published while it is disabled are skipped. You can read them from the events API.'
  return [paragraph(first), paragraph([canceled, ...(recover === null ? [] : [again]), missed].join(' '))]
}

function meaningOfFailing(reported: Reported, { disableAfterMs }: Links): Block[] {
  const since = sinceOf(reported)
  const after = disableAfterMs(reported.workspace.dialect)
  const until =
    since === null || after === null
      ? ''
      : ` If no delivery succeeds until ${utc(since + after)}, it is disabled.`
  return [
    paragraph(`It is still enabled, and its deliveries are still retried.${until}`),
    paragraph('When it is disabled, its pending deliveries are canceled, and new events are skipped.'),
  ]
}

function action({ workspace }: Reported, news: News, { publicUrl }: Links): Block {
  const id = encodeURIComponent(news.webhook_public_id)
  const url = `${publicUrl}/w/${encodeURIComponent(workspace.slug)}/webhooks/${id}`
  return { kind: 'action', label: 'Open the webhook', url }
}

function aside({ kind, workspace }: Reported, { publicUrl }: Links): Block {
  const why =
    'You get this because you added the webhook, or because an API key that was created for you added it.'
  if (kind === 'webhook_off') return { kind: 'aside', text: why, url: null }
  const url = `${publicUrl}/w/${encodeURIComponent(workspace.slug)}/settings`
  return { kind: 'aside', text: `${why} You can turn these warnings off in your settings:`, url }
}

/** A time to the minute, for people. */
export function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
