import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { workspaceAuditQuery } from '../../api/audit.ts'
import { useSession } from '../../api/session.ts'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { Empty } from '../../shared/states.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import type { AuditView } from './AuditEntryRow.tsx'
import { AuditList } from './AuditList.tsx'

/** Audit log of a workspace. */
export function AuditPage() {
  const workspace = useWorkspace()
  const { role, service } = workspace
  return (
    <PageFrame
      title="Audit log"
      lead={`Sign-ins, and changes to ${service.features.noun}s, consumers, API keys and members. Entries are kept for a year.`}
    >
      {role === 'owner' || role === 'operator' ? (
        <Log />
      ) : (
        <Empty icon={<IconHistory size={24} />} title="The audit log is for owners">
          Only owners of this workspace can read its audit log.
        </Empty>
      )}
    </PageFrame>
  )
}

function Log() {
  const workspace = useWorkspace()
  const { target = null } = useSearch({ from: '/w/$ws/audit-log' })
  const read = useInfiniteQuery(workspaceAuditQuery(workspace, target))
  const { workspaces, operator_id } = useSession()
  const view: AuditView = {
    noun: workspace.service.features.noun,
    ownIds: [workspaces.find(({ id }) => id === workspace.id)?.member_id ?? null, operator_id],
    seesOperators: workspace.role === 'operator',
    hrefOf: (_, type, id) => (type === 'webhook' ? `/w/${workspace.ref}/webhooks/${id}` : null),
    targetSearch: (id) => ({ target: id }),
  }
  const entries = read.data?.pages.flatMap(({ items }) => items) ?? []
  return <AuditList {...{ read, entries, target, view }} />
}
