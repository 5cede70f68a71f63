import { Anchor, Text } from '@mantine/core'
import { useInfiniteQuery, useQueries } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { wholeAuditQuery } from '../../api/audit.ts'
import { keysQuery, membersQuery, workspaceQuery } from '../../api/provisioning.ts'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { plainText } from '../../shared/untrusted/pieces.ts'
import type { AuditView } from '../audit/AuditEntryRow.tsx'
import { AuditList } from '../audit/AuditList.tsx'
import { type Name, nameOf, namesIn, shortId } from '../audit/names.ts'

/** Workspaces whose names are looked up, in the order of the log. */
const NAMED_WORKSPACES = 20

/** What was changed anywhere, and by whom. */
export function WholeAuditPage() {
  const { target = null } = useSearch({ from: '/operator/audit-log' })
  const read = useInfiniteQuery(wholeAuditQuery(target))
  const entries = read.data?.pages.flatMap(({ items }) => items) ?? []
  const workspaces = [...new Set(entries.map(({ workspaceId }) => workspaceId))]
  const known = nameOf([...namesIn(entries), ...useNames(workspaces.slice(0, NAMED_WORKSPACES))])
  const view: AuditView = {
    noun: 'webhook',
    nameOf: known,
    ownId: null,
    hrefOf: ({ workspaceId }, type, id) => {
      if (type === 'workspace') return `/operator/workspaces/${id}`
      return type === 'webhook' ? `/w/${workspaceId}/webhooks/${id}` : null
    },
    targetSearch: (id) => ({ target: id }),
    where: ({ workspaceId: id }) => (
      <Text size="xs" c="dimmed">
        in{' '}
        <Anchor component={Link} to={`/operator/workspaces/${id}`} inherit>
          {plainText(known('workspace', id) ?? shortId(id))}
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
  const members = useQueries({ queries: workspaces.map((ws) => ({ ...membersQuery(ws), retry: false })) })
  const keys = useQueries({ queries: workspaces.map((ws) => ({ ...keysQuery(ws), retry: false })) })
  return [
    ...found.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data.name] as const])),
    ...members.flatMap(({ data }) => (data?.data ?? []).map(({ id, name }) => [id, name] as const)),
    ...keys.flatMap(({ data }) => (data?.data ?? []).map(({ id, name }) => [id, name] as const)),
  ]
}
