import type { Webhook, WebhookStatus } from '../../model/webhook.ts'

/** Whether events go out now: a suspended workspace holds everything, also where the service has no pause of its own. */
export const shownStatus = ({ status }: Webhook, suspended: boolean): WebhookStatus =>
  suspended && status === 'on' ? 'paused' : status

/** Why nothing is sent, in a sentence; `null`: it is. @param noun what people call a webhook */
export function whyNothingIsSent(webhook: Webhook, suspended: boolean, noun: string): string | null {
  const status = shownStatus(webhook, suspended)
  if (status === 'on') return null
  if (status === 'paused') {
    return suspended ? 'The operator has paused the whole workspace.' : 'Somebody paused it.'
  }
  return webhook.offReason === null ? `This ${noun} is off.` : OFF[webhook.offReason]
}

const OFF = {
  gone: 'Its receiver answered 410 Gone, which means: send nothing more.',
  failing: 'Its receiver failed for 24 hours without one success.',
  manual: 'Somebody turned it off.',
} as const satisfies Record<NonNullable<Webhook['offReason']>, string>

/** The host that a URL names, for titles and for typing; the whole text where it names none. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url : url
}
