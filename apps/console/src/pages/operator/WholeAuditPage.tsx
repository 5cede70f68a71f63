import { Anchor, Text } from '@mantine/core'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { wholeAuditQuery } from '../../api/audit.ts'
import { type Name, namesQuery } from '../../api/names.ts'
import { workspaceQuery } from '../../api/provisioning.ts'
import { shortId } from '../../model/shortId.ts'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import type { AuditView } from '../audit/AuditEntryRow.tsx'
import { AuditList } from '../audit/AuditList.tsx'
import { nameOf, namesIn } from '../audit/names.ts'
import { useOperators } from '../audit/useOperators.ts'

/** Workspaces whose names are looked up, in the order of the log. */
const NAMED_WORKSPACES = 20

/** What was changed anywhere, and by whom. */
export function WholeAuditPage() {
  const { target = null } = useSearch({ from: '/operator/audit-log' })
  const read = useInfiniteQuery(wholeAuditQuery(target))
  const entries = read.data?.pages.flatMap(({ items }) => items) ?? []
  const workspaces = [...new Set(entries.map(({ workspaceId }) => workspaceId))]
  const operators = useOperators()
  const found = useNames(workspaces.slice(0, NAMED_WORKSPACES))
  const known = nameOf([...namesIn(entries), ...operators.names, ...found])
  const view: AuditView = {
    noun: 'webhook',
    nameOf: known,
    ownIds: [operators.ownId],
    seesOperators: true,
    hrefOf: ({ workspaceId }, type, id) => {
      if (type === 'workspace') return `/operator/workspaces/${id}`
      return type === 'webhook' ? `/w/${workspaceId}/webhooks/${id}` : null
    },
    targetSearch: (id) => ({ target: id }),
    where: ({ workspaceId: id }) => (
      <Text size="xs" c="dimmed" component="div">
        in{' '}
        <Anchor component={Link} to={`/operator/workspaces/${id}`} inherit>
          <Untrusted>{known('workspace', id) ?? shortId(id)}</Untrusted>
        </Anchor>
      </Text>
    ),
  }
  return (
    <PageFrame
      title="Audit log"
      lead="Who changed what in all workspaces, also in those that were deleted. Entries are kept for a year."
    >
      <AuditList {...{ read, entries, target, view }} />
    </PageFrame>
  )
}

/** Names of workspaces and of what is in them; what was deleted has none any more. */
function useNames(workspaces: readonly string[]): readonly Name[] {
  const found = useQueries({ queries: workspaces.map((ws) => ({ ...workspaceQuery(ws), retry: false })) })
  const people = useQueries({ queries: workspaces.map((ws) => ({ ...namesQuery(ws), retry: false })) })
  return [
    ...found.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data.name] as const])),
    ...people.flatMap(({ data }) => data ?? []),
  ]
}
