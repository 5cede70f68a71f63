import { useQuery } from '@tanstack/react-query'
import { failingNowQuery } from '../../../api/operator.ts'
import { usePeriod } from '../../../shared/PeriodControl.tsx'
import { Panel } from '../Panel.tsx'
import { FailingRow } from './FailingWebhooks.tsx'

const SHOWN = 100

/** Id of the list, for links. */
export const FAILING_NOW = 'failing-now'

/** Failing webhooks, longest first. */
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
