import { Anchor, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { wholeAuditQuery } from '../../api/audit.ts'
import { useSession } from '../../api/session.ts'
import { shortId } from '../../model/shortId.ts'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import type { AuditView } from '../audit/AuditEntryRow.tsx'
import { AuditList } from '../audit/AuditList.tsx'

/** Audit log of the whole service. */
export function WholeAuditPage() {
  const { target = null } = useSearch({ from: '/operator/audit-log' })
  const read = useInfiniteQuery(wholeAuditQuery(target))
  const entries = read.data?.pages.flatMap(({ items }) => items) ?? []
  const { operator_id } = useSession()
  const view: AuditView = {
    noun: 'webhook',
    ownIds: [operator_id],
    seesOperators: true,
    hrefOf: ({ action, workspaceId }, type, id) => {
      if (type === 'service') return action === 'service.removed' ? null : `/operator/services/${id}`
      if (type === 'workspace') return `/operator/workspaces/${id}`
      return type === 'webhook' ? `/w/${workspaceId}/webhooks/${id}` : null
    },
    targetSearch: (id) => ({ target: id }),
    where: ({ workspaceId: id, workspaceName }) =>
      id !== null && (
        <Text size="xs" c="dimmed" component="div">
          in{' '}
          <Anchor component={Link} to={`/operator/workspaces/${id}`} inherit>
            <Untrusted>{workspaceName ?? shortId(id)}</Untrusted>
          </Anchor>
        </Text>
      ),
  }
  return (
    <PageFrame
      title="Audit log"
      lead="Changes to services and to all workspaces, including deleted ones. Entries are kept for a year."
    >
      <AuditList {...{ read, entries, target, view }} />
    </PageFrame>
  )
}
