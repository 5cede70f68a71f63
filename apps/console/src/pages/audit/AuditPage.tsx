import { IconHistory } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { workspaceAuditQuery } from '../../api/audit.ts'
import { type Name, namesQuery } from '../../api/names.ts'
import { useSession } from '../../api/session.ts'
import { allWebhooksQuery } from '../../api/webhooks.ts'
import { webhookName } from '../../model/webhook.ts'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { Empty } from '../../shared/states.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import type { AuditView } from './AuditEntryRow.tsx'
import { AuditList } from './AuditList.tsx'
import { nameOf, namesIn } from './names.ts'
import { useOperators } from './useOperators.ts'

/** Who changed what in a workspace. */
export function AuditPage() {
  const workspace = useWorkspace()
  const { role, service } = workspace
  return (
    <PageFrame
      title="Audit log"
      lead={`Who changed which ${service.features.noun}, API key or member, and when. Entries are kept for a year.`}
    >
      {role === 'owner' || role === 'operator' ? (
        <Log />
      ) : (
        <Empty icon={<IconHistory size={24} />} title="The audit log is for owners">
          Only owners of this workspace see who changed what in it. Ask one of them.
        </Empty>
      )}
    </PageFrame>
  )
}

function Log() {
  const workspace = useWorkspace()
  const { target = null } = useSearch({ from: '/w/$ws/audit-log' })
  const read = useInfiniteQuery(workspaceAuditQuery(workspace, target))
  const { workspaces, name, email } = useSession()
  const operators = useOperators()
  const memberId = workspaces.find(({ id }) => id === workspace.id)?.member_id ?? null
  const entries = read.data?.pages.flatMap(({ items }) => items) ?? []
  const known = useNames()
  const view: AuditView = {
    noun: workspace.service.features.noun,
    nameOf: nameOf([
      ...namesIn(entries),
      ...known,
      ...operators.names,
      ...(memberId === null ? [] : [[memberId, name ?? email ?? 'you'] as const]),
    ]),
    ownIds: [memberId, operators.ownId],
    seesOperators: workspace.role === 'operator',
    hrefOf: (_, type, id) => (type === 'webhook' ? `/w/${workspace.ref}/webhooks/${id}` : null),
    targetSearch: (id) => ({ target: id }),
  }
  return <AuditList {...{ read, entries, target, view }} />
}

/** Owners can look up webhooks; operators, who provision, members and keys as well. */
function useNames(): readonly Name[] {
  const workspace = useWorkspace()
  const enabled = workspace.role === 'operator'
  const webhooks = useQuery(allWebhooksQuery(workspace))
  const people = useQuery({ ...namesQuery(workspace.id), enabled })
  return [
    [workspace.id, workspace.name],
    ...(webhooks.data ?? []).map((webhook) => [webhook.id, webhookName(webhook)] as const),
    ...(people.data ?? []),
  ]
}
