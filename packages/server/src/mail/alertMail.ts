import type { ClaimedNotification } from '../storage/rows.ts'
import { type Block, heading, paragraph } from './blocks.ts'
import { shownInSubject } from './shown.ts'
import { type Links, utc } from './webhookMail.ts'

/** A webhook that started to fail or recovered, in the form that `storage/queries/alertMails.ts` writes. */
interface AlertedWebhook {
  readonly state: 'failing' | 'recovered'
  readonly webhook_public_id: string
  readonly url: string
  readonly description: string
  readonly since: number | null
  readonly reason?: 'consecutive_failures' | 'failure_share'
  readonly failures_in_a_row?: number
  readonly deliveries?: { readonly attempted: number; readonly failed: number } | null
  readonly last_error: {
    readonly at: number
    readonly error_code: string | null
    readonly error_message: string | null
    readonly status_code: number | null
  } | null
}

interface AlertNews {
  /** Some of them, failing webhooks first. */
  readonly webhooks: readonly AlertedWebhook[]
  readonly failing: number
  readonly recovered: number
}

type AlertNotification = Pick<ClaimedNotification, 'data'> & {
  readonly workspace: NonNullable<ClaimedNotification['workspace']>
}

/** One message about all webhooks of a workspace that started to fail, or recovered, since the last message. */
export function composeAlertMail(
  notification: AlertNotification,
  links: Links,
): { subject: string; blocks: readonly Block[] } {
  const news = notification.data as unknown as AlertNews
  const { webhooks, failing, recovered } = news
  const left = failing + recovered - webhooks.length
  return {
    subject: shownInSubject(subjectOf(notification, news)),
    blocks: [
      paragraph(`In the workspace ${notification.workspace.name}, ${summaryOf(news)}.`),
      ...itemsOf('Failing', webhooks, 'failing'),
      ...itemsOf('Recovered', webhooks, 'recovered'),
      ...(left > 0 ? [paragraph(`And ${left} more. The list of webhooks shows them all.`)] : []),
      ...(failing > 0 ? meaning() : []),
      action(notification, webhooks, links),
      {
        kind: 'aside',
        text: 'You get this because you are an owner of the workspace. You can turn these warnings off in your settings:',
        url: `${workspaceUrl(notification, links)}/settings`,
      },
    ],
  }
}

const counted = (count: number): string => (count === 1 ? '1 webhook' : `${count} webhooks`)
const verb = (count: number, one: string, many: string): string => (count === 1 ? one : many)
const nameOf = ({ description, url }: AlertedWebhook): string =>
  description.trim() === '' ? url : description

function subjectOf({ workspace }: AlertNotification, { webhooks, failing, recovered }: AlertNews): string {
  const [only] = webhooks
  if (failing + recovered === 1 && only !== undefined)
    return `Webhook ${only.state === 'failing' ? 'is failing' : 'recovered'}: ${nameOf(only)}`
  if (failing === 0) return `${counted(recovered)} of ${workspace.name} recovered`
  return `${counted(failing)} of ${workspace.name} ${verb(failing, 'is', 'are')} failing`
}

function summaryOf({ failing, recovered }: AlertNews): string {
  const failed = `${counted(failing)} ${verb(failing, 'is', 'are')} failing`
  const again = `${counted(recovered)} recovered`
  if (recovered === 0) return failed
  return failing === 0 ? again : `${failed} and ${again}`
}

function itemsOf(
  title: string,
  webhooks: readonly AlertedWebhook[],
  wanted: AlertedWebhook['state'],
): Block[] {
  const items = webhooks
    .filter(({ state }) => state === wanted)
    .map((webhook) => ({ title: nameOf(webhook), text: textOf(webhook) }))
  return items.length === 0 ? [] : [heading(title), { kind: 'items', items }]
}

function textOf(webhook: AlertedWebhook): string {
  const { state, since, deliveries, failures_in_a_row: failures = 0, last_error: error } = webhook
  if (state === 'recovered')
    return since === null ? 'Its deliveries succeed again.' : `It had been failing since ${utc(since)}.`
  const what =
    deliveries == null
      ? `${failures} attempts failed in a row`
      : `${deliveries.failed} of the last hour's ${deliveries.attempted} deliveries failed`
  const from = since === null ? '' : `, since ${utc(since)}`
  return `${what}${from}.${error === null ? '' : ` ${lastErrorOf(error)}`}`
}

function lastErrorOf(error: NonNullable<AlertedWebhook['last_error']>): string {
  const name = error.status_code === null ? error.error_code : `HTTP ${error.status_code}`
  return [`Latest error: ${name ?? 'the attempt failed'}.`, error.error_message ?? ''].join(' ').trim()
}

const meaning = (): Block[] => [
  heading('What this means'),
  paragraph(
    'These webhooks are still enabled, and their deliveries are retried. You get one message when a webhook starts to fail and one when it recovers.',
  ),
  paragraph('To stop these messages for a webhook for a while, open it and snooze its warnings.'),
]

const workspaceUrl = ({ workspace }: AlertNotification, { publicUrl }: Links): string =>
  `${publicUrl}/w/${encodeURIComponent(workspace.slug)}`

function action(notification: AlertNotification, webhooks: readonly AlertedWebhook[], links: Links): Block {
  const url = `${workspaceUrl(notification, links)}/webhooks`
  const [only] = webhooks
  return webhooks.length === 1 && only !== undefined
    ? {
        kind: 'action',
        label: 'Open the webhook',
        url: `${url}/${encodeURIComponent(only.webhook_public_id)}`,
      }
    : { kind: 'action', label: 'Open the webhooks', url }
}
