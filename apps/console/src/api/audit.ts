import { infiniteQueryOptions } from '@tanstack/react-query'
import type { AuditEntry } from '../model/audit.ts'
import type { Page } from '../model/delivery.ts'
import type { CurrentWorkspace } from '../workspace/workspace.tsx'
import { toAuditEntry } from './auditEntry.ts'
import { adminApi } from './clients.ts'
import { unwrap } from './send.ts'

const PAGE = 50

interface PageParams {
  readonly cursor: string | null
  readonly limit: number
  readonly target: string | null
  readonly signal?: AbortSignal
}

const auditQuery = (
  key: string | null,
  target: string | null,
  read: (params: PageParams) => Promise<Page<AuditEntry>>,
) =>
  infiniteQueryOptions({
    queryKey: ['audit', key, target],
    initialPageParam: null as string | null,
    getNextPageParam: (page: Page<AuditEntry>) => page.nextCursor,
    queryFn: ({ pageParam, signal }) => read({ cursor: pageParam, limit: PAGE, target, signal }),
  })

/** Audit log of a workspace, with the rights of the signed-in user. @param target id; only entries about it */
export const workspaceAuditQuery = ({ id, role, service }: CurrentWorkspace, target: string | null) =>
  auditQuery(id, target, role === 'operator' ? (params) => readAsOperator(id, params) : service.listAudit)

/** Audit log of all workspaces, for operators. */
export const wholeAuditQuery = (target: string | null) =>
  auditQuery(null, target, (params) => readAsOperator(null, params))

async function readAsOperator(
  workspace: string | null,
  { cursor, limit, target, signal }: PageParams,
): Promise<Page<AuditEntry>> {
  const query = {
    limit,
    ...(workspace === null ? {} : { workspace }),
    ...(cursor === null ? {} : { cursor }),
    ...(target === null ? {} : { target }),
  }
  const page = await unwrap(
    adminApi.GET('/admin/v1/audit-log', { params: { query }, ...(signal === undefined ? {} : { signal }) }),
  )
  return { items: page.data.map(toAuditEntry), nextCursor: page.next_cursor }
}
