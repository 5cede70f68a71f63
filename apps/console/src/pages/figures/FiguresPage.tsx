import { failedWordOf } from '../../model/service.ts'
import { FiguresPanel } from '../../shared/figures/FiguresPanel.tsx'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** Metrics of a workspace. */
export function FiguresPage() {
  const { id, service } = useWorkspace()
  const { noun } = service.features
  return (
    <PageFrame title="Metrics" lead={`Totals of all ${noun}s of this workspace.`}>
      <FiguresPanel scope={{ of: 'workspace', ws: id }} failedWord={failedWordOf(service.features)} />
    </PageFrame>
  )
}
