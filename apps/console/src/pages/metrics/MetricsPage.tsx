import { failedWordOf } from '../../model/service.ts'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { StatsPanel } from '../../shared/stats/StatsPanel.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** Metrics of a workspace. */
export function MetricsPage() {
  const { id, service } = useWorkspace()
  const { noun } = service.features
  return (
    <PageFrame title="Metrics" lead={`Totals of all ${noun}s of this workspace.`}>
      <StatsPanel scope={{ of: 'workspace', ws: id }} failedWord={failedWordOf(service.features)} />
    </PageFrame>
  )
}
