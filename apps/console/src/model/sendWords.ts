// Labels and help of manual sends, in the words of the service.

import type { DeliveryStatus } from './delivery.ts'
import type { Resend } from './service.ts'

/** "redeliver this event". */
export const resendText = ({ operation }: Resend): string =>
  operation === 'replay' ? 'replay this delivery' : 'redeliver this event'

/** Label of the button that resends a finished delivery. */
export const resendLabel = ({ operation }: Resend): string =>
  operation === 'replay' ? 'Replay delivery' : 'Redeliver event'

/** What that button does. */
export const resendHelp = ({ attempts }: Resend): string =>
  attempts === 'schedule'
    ? 'Sends this finished delivery again, with the same id, and restarts its retry schedule.'
    : 'Sends this finished delivery once more, with the same id.'

/** Label of the button that retries a pending delivery. */
export const RETRY_LABEL = 'Retry delivery now'

/** What that button does. */
export const RETRY_HELP = 'Does not wait for the next retry. This uses one of the attempts of the delivery.'

/** "send all dead and canceled deliveries since a chosen time again". @param failed the service's word for failed ones */
export const recoverText = (failed: DeliveryStatus): string =>
  `send all ${failed} and canceled deliveries since a chosen time again`

/** What a disabled or paused webhook does with events: they are "missed" only if they can be recovered. */
export const skippedWord = (recoversMissed: boolean): 'missed' | 'skipped' =>
  recoversMissed ? 'missed' : 'skipped'
