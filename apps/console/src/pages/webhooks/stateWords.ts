import { spanText } from '../../model/spanText.ts'
import { healthOf, type Webhook, type WebhookHealth, type WebhookStatus } from '../../model/webhook.ts'
import type { CurrentWorkspace } from '../../workspace/workspace.tsx'

/** Whether events go out now: a suspended workspace holds everything, also where the service has no pause of its own. */
export const shownStatus = ({ status }: Webhook, suspended: boolean): WebhookStatus =>
  suspended && status === 'on' ? 'paused' : status

/** The same, and whether what goes out arrives. */
export const shownHealth = (webhook: Webhook, suspended: boolean): WebhookHealth =>
  healthOf(shownStatus(webhook, suspended), webhook.failingSince)

/** What must be known of the workspace to say it. */
interface Where {
  readonly suspended: boolean
  readonly rules: Pick<CurrentWorkspace['rules'], 'switched_off_after_s'>
  readonly service: { readonly features: Pick<CurrentWorkspace['service']['features'], 'noun'> }
}

/** Why nothing is sent, in a sentence; `null`: it is. */
export function whyNothingIsSent(webhook: Webhook, { suspended, rules, service }: Where): string | null {
  const status = shownStatus(webhook, suspended)
  if (status === 'on') return null
  if (status === 'paused') {
    return suspended ? 'The operator has paused the whole workspace.' : 'Somebody paused it.'
  }
  if (webhook.offReason === 'gone') {
    return 'Its receiver answered 410 Gone, which means: send nothing more.'
  }
  if (webhook.offReason === 'failing') {
    const { switched_off_after_s: after } = rules
    return `Its receiver failed for ${after === null ? 'too long' : spanText(after)} without one success.`
  }
  return webhook.offReason === 'manual'
    ? 'Somebody switched it off.'
    : `This ${service.features.noun} is off.`
}

/** The host that a URL names, for titles and for typing; the whole text where it names none. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url : url
}
