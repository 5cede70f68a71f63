import type { ClaimedNotification } from '../storage/rows.ts'
import { type Block, heading, paragraph } from './blocks.ts'
import { shownInSubject } from './shown.ts'

/** What the store keeps of a webhook that is off or fails, as `storage/queries/notifications.ts` writes it. */
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
  readonly switchOffAfterMs: (service: string) => number | null
}

type Told = Pick<ClaimedNotification, 'kind' | 'data' | 'createdAt'> & {
  readonly workspace: NonNullable<ClaimedNotification['workspace']>
}

export function sinceOf({ data }: Pick<ClaimedNotification, 'data'>): number | null {
  return (data as unknown as News).failing_since
}

/** What is told of a webhook that was switched off or keeps failing. */
export function composeWebhookMail(told: Told, links: Links): { subject: string; blocks: readonly Block[] } {
  const news = told.data as unknown as News
  const name = news.description.trim() === '' ? news.url : news.description
  const off = told.kind === 'webhook_off'
  return {
    subject: shownInSubject(`${off ? 'Webhook switched off' : 'Webhook keeps failing'}: ${name}`),
    blocks: [
      paragraph(off ? whatEnded(news) : 'A webhook of yours keeps failing.'),
      facts(told, news),
      ...errors(news),
      heading('What this means'),
      ...(off ? meaningOfOff(news) : meaningOfFailing(told, links)),
      action(told, news, links),
      aside(told, links),
    ],
  }
}

function whatEnded({ reason }: News): string {
  return reason === 'gone'
    ? 'A webhook of yours was switched off, because its receiver answered 410 Gone: it asks to be sent nothing any more.'
    : 'A webhook of yours was switched off, because every attempt to deliver to it has failed for too long.'
}

function facts({ kind, workspace, createdAt }: Told, news: News): Block {
  const rows: [string, string][] = [
    ['Webhook', news.description],
    ['URL', news.url],
    ['Workspace', workspace.name],
    ['Failing since', news.failing_since === null ? '' : utc(news.failing_since)],
    ['Switched off', kind === 'webhook_off' ? utc(createdAt) : ''],
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

function meaningOfOff({ reason }: News): Block[] {
  const first =
    reason === 'gone'
      ? 'If that is what you want, there is nothing to do.'
      : 'Nothing is sent to it until you have mended the receiver and switched the webhook on again.'
  return [
    paragraph(first),
    paragraph(
      'Its deliveries that were still waiting were canceled. Once it is on again they can be redelivered from the delivery log, one by one. ' +
        'Events that happen while it is off are not recorded for it and are not sent later; they can be read from the list of events.',
    ),
  ]
}

function meaningOfFailing(told: Told, { switchOffAfterMs }: Links): Block[] {
  const since = sinceOf(told)
  const after = switchOffAfterMs(told.workspace.dialect)
  const until =
    since === null || after === null
      ? ''
      : ` If none succeeds until ${utc(since + after)}, it is switched off.`
  return [
    paragraph(`It is still on, and deliveries to it go on being tried.${until}`),
    paragraph(
      'When it is switched off, its deliveries that are still waiting are canceled, and events that happen from then on are not recorded for it.',
    ),
  ]
}

function action({ workspace }: Told, news: News, { publicUrl }: Links): Block {
  const id = encodeURIComponent(news.webhook_public_id)
  const url = `${publicUrl}/w/${encodeURIComponent(workspace.slug)}/webhooks/${id}`
  return { kind: 'action', label: 'Open the webhook', url }
}

function aside({ kind, workspace }: Told, { publicUrl }: Links): Block {
  const why = 'You get this because you added the webhook, or made the key that did.'
  if (kind === 'webhook_off') return { kind: 'aside', text: why, url: null }
  const url = `${publicUrl}/w/${encodeURIComponent(workspace.slug)}/settings`
  return { kind: 'aside', text: `${why} You can turn such warnings off in your settings:`, url }
}

/** A time to the minute, as people read it. */
export function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
