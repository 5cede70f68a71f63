import type { DetailedWebhookSummary } from '../../api/webhookSummaries.ts'
import { spanText } from '../../model/spanText.ts'
import { isOn, type Webhook, type WebhookState } from '../../model/webhook.ts'
import type { CurrentWorkspace } from '../../workspace/workspace.tsx'

/** The effective state. A suspended workspace pauses all webhooks, even if the service has no pause. */
export const shownState = ({ state }: Webhook, suspended: boolean): WebhookState =>
  suspended && isOn(state) ? { kind: 'paused' } : state

/** The required facts about the workspace. */
interface Where {
  readonly suspended: boolean
  readonly rules: Pick<CurrentWorkspace['rules'], 'switched_off_after_s'>
  readonly service: { readonly features: Pick<CurrentWorkspace['service']['features'], 'noun'> }
}

/** Who paused or disabled a webhook, if known. */
type StoppedBy = DetailedWebhookSummary['stopped_by']

/** Who paused or disabled a webhook manually, without a full stop. @param by without a name */
export function stoppedText(kind: 'paused' | 'off', by: StoppedBy): string {
  const done = kind === 'paused' ? 'Paused' : 'Disabled'
  if (by?.type === 'operator') return `${done} by an operator of the service`
  if (by?.type === 'key') return `${done} by an API key`
  return kind === 'paused' ? done : `${done} manually`
}

/** Why nothing is sent, in a sentence; `null`: events are sent. */
export function whyNothingIsSent(
  webhook: Webhook,
  { suspended, rules, service }: Where,
  by: StoppedBy = null,
): string | null {
  const state = shownState(webhook, suspended)
  if (isOn(state)) return null
  if (state.kind === 'paused') {
    return suspended ? 'The operator has suspended the workspace.' : `${stoppedText('paused', by)}.`
  }
  if (state.reason === 'gone') {
    return 'Its receiver responded with 410 Gone: it wants no more requests.'
  }
  if (state.reason === 'failing') {
    const { switched_off_after_s: after } = rules
    return `Its receiver failed for ${after === null ? 'too long' : spanText(after)} without a single success.`
  }
  return state.reason === 'manual'
    ? `${stoppedText('off', by)}.`
    : `This ${service.features.noun} is disabled.`
}

/** The reason for a list, if it adds something to the badge. */
export function whyInList(webhook: Webhook, where: Where): string | null {
  const { state } = webhook
  const says = where.suspended || (state.kind === 'off' && state.reason !== null)
  return says ? whyNothingIsSent(webhook, where) : null
}

/** What is required before a manual send; `null`: nothing. @param to such as "recover" */
export function beforeSending(
  webhook: Webhook,
  { suspended, service }: Pick<Where, 'suspended' | 'service'>,
  to: string,
): string | null {
  const state = shownState(webhook, suspended)
  if (isOn(state)) return null
  const { noun } = service.features
  if (state.kind === 'off') return `Enable the ${noun} to ${to}.`
  return suspended ? 'The operator has suspended the workspace.' : `Resume the ${noun} to ${to}.`
}
