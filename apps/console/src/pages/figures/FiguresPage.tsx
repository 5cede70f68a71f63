import { failedWordOf } from '../../model/service.ts'
import { FiguresPanel } from '../../shared/figures/FiguresPanel.tsx'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** How much a workspace sends, how fast, and what becomes of it. */
export function FiguresPage() {
  const { id, service } = useWorkspace()
  const { noun } = service.features
  return (
    <PageFrame title="Figures" lead={`All ${noun}s of this workspace together.`}>
      <FiguresPanel scope={{ of: 'workspace', ws: id }} failedWord={failedWordOf(service.features)} />
    </PageFrame>
  )
}
