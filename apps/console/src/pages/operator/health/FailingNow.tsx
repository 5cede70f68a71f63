import { useQuery } from '@tanstack/react-query'
import { failingNowQuery } from '../../../api/operator.ts'
import { usePeriod } from '../../../shared/PeriodControl.tsx'
import { Panel } from '../Panel.tsx'
import { FailingRow } from './FailingWebhooks.tsx'

const SHOWN = 100

/** Names the list on the page, so that the verdict can link to it. */
export const FAILING_NOW = 'failing-now'

/** Webhooks whose every attempt since the last success failed, those that have failed longest first. */
export function FailingNow() {
  const read = useQuery(failingNowQuery(usePeriod(), SHOWN))
  return (
    <div id={FAILING_NOW}>
      <Panel title="Webhooks that are failing now" read={read} empty="No webhook is failing.">
        {(webhooks) => (
          <ul className="ph-entries">
            {webhooks.map((webhook) => (
              <FailingRow key={webhook.webhook_id} webhook={webhook} />
            ))}
          </ul>
        )}
      </Panel>
    </div>
  )
}
