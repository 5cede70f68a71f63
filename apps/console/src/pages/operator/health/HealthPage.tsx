import { PageFrame } from '../../../shared/PageFrame.tsx'
import { StatsPanel } from '../../../shared/stats/StatsPanel.tsx'
import { BusyWorkspaces } from './BusyWorkspaces.tsx'
import { FailingNow } from './FailingNow.tsx'
import { FailingWebhooks } from './FailingWebhooks.tsx'
import { Nodes } from './Nodes.tsx'
import { Outages } from './Outages.tsx'
import { QueueNow } from './QueueNow.tsx'
import { VerdictAlert } from './VerdictAlert.tsx'
import { WarningList } from './WarningList.tsx'

/** Health of the whole service. */
export function HealthPage() {
  return (
    <PageFrame title="Health">
      <VerdictAlert />
      <WarningList />
      <QueueNow />
      <FailingNow />
      <FailingWebhooks />
      <StatsPanel scope={{ of: 'everything' }} />
      <BusyWorkspaces />
      <Outages />
      <Nodes />
    </PageFrame>
  )
}
