import type { DetailedWebhookSummary } from '../../api/webhookSummaries.ts'
import { spanText } from '../../model/spanText.ts'
import { isOn, type Webhook, type WebhookState } from '../../model/webhook.ts'
import type { CurrentWorkspace } from '../../workspace/workspace.tsx'

/** What holds now: a suspended workspace pauses every webhook, also where the service has no pause of its own. */
export const shownState = ({ state }: Webhook, suspended: boolean): WebhookState =>
  suspended && isOn(state) ? { kind: 'paused' } : state

/** What must be known of the workspace to say it. */
interface Where {
  readonly suspended: boolean
  readonly rules: Pick<CurrentWorkspace['rules'], 'switched_off_after_s'>
  readonly service: { readonly features: Pick<CurrentWorkspace['service']['features'], 'noun'> }
}

/** Who paused a webhook or turned it off, as far as it is known. */
type StoppedBy = DetailedWebhookSummary['stopped_by']

/** Who paused or disabled a webhook by hand, without a full stop. @param by without a name */
export function stoppedText(kind: 'paused' | 'off', by: StoppedBy): string {
  const done = kind === 'paused' ? 'Paused' : 'Disabled'
  if (by?.type === 'operator') return `${done} by an operator of the service`
  if (by?.type === 'key') return `${done} by an API key`
  return kind === 'paused' ? done : `${done} manually`
}

/** Why nothing is sent, in a sentence; `null`: it is. */
export function whyNothingIsSent(
  webhook: Webhook,
  { suspended, rules, service }: Where,
  by: StoppedBy = null,
): string | null {
  const state = shownState(webhook, suspended)
  if (isOn(state)) return null
  if (state.kind === 'paused') {
    return suspended ? 'The operator has paused the whole workspace.' : `${stoppedText('paused', by)}.`
  }
  if (state.reason === 'gone') {
    return 'Its receiver answered 410 Gone, which means: send nothing more.'
  }
  if (state.reason === 'failing') {
    const { switched_off_after_s: after } = rules
    return `Its receiver failed for ${after === null ? 'too long' : spanText(after)} without one success.`
  }
  return state.reason === 'manual' ? `${stoppedText('off', by)}.` : `This ${service.features.noun} is off.`
}

/** The same beside the badge of a list, which says already that it is paused or off. */
export function whyInList(webhook: Webhook, where: Where): string | null {
  const { state } = webhook
  const says = where.suspended || (state.kind === 'off' && state.reason !== null)
  return says ? whyNothingIsSent(webhook, where) : null
}

/** What must be done before deliveries can be sent by hand; `null`: they can be now. @param to such as "recover" */
export function beforeSending(
  webhook: Webhook,
  { suspended, service }: Pick<Where, 'suspended' | 'service'>,
  to: string,
): string | null {
  const state = shownState(webhook, suspended)
  if (isOn(state)) return null
  const { noun } = service.features
  if (state.kind === 'off') return `Enable the ${noun} to ${to}.`
  return suspended ? 'The operator has paused the whole workspace.' : `Resume the ${noun} to ${to}.`
}

/** The host that a URL names, for titles and for typing; the whole text where it names none. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url : url
}
