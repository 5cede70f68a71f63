import type { Workspace } from '../rows.ts'
import { cancel } from './cancel.ts'
import { endSessionsWithoutRights } from './people.ts'
import { holdProfile } from './profiles.ts'
import { list, lookup, type Queries, write } from './query.ts'
import { WORKSPACE } from './rowMappers.ts'
import { columns, FOR_NO_KEY_UPDATE, type Fragment, sql, typed } from './sql.ts'
import { all, callDriver, row, rows, run, type Work } from './work.ts'

/** Behind everything that was published to the workspace. */
const FEED_PLACE: Fragment = { sqlite: '(SELECT next_event_seq - 1 FROM store)', postgres: 'feed_place()' }

const WORKSPACE_COLUMNS = columns(WORKSPACE)
/** Operational workspaces are named by no path and in no list. */
const IS_CUSTOMERS = `deleted_at IS NULL AND kind = 'customer'`
export const workspaceSql = {
  create: sql`
    INSERT INTO workspaces (public_id, dialect, slug, name, created_at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (slug, dialect) WHERE deleted_at IS NULL DO NOTHING RETURNING ${WORKSPACE_COLUMNS}`,
  find: sql`
    SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE public_id = $1 AND ${IS_CUSTOMERS}
    UNION SELECT ${WORKSPACE_COLUMNS} FROM workspaces WHERE slug = $1 AND ${IS_CUSTOMERS}`,
  list: sql`
    SELECT ${WORKSPACE_COLUMNS} FROM workspaces
    WHERE id < $1 AND ${IS_CUSTOMERS} ORDER BY id DESC LIMIT $2`,
  suspend: sql`
    UPDATE workspaces SET suspended_at = $2
    WHERE id = $1 AND deleted_at IS NULL AND (suspended_at IS NULL) <> (${typed('$2', 'bigint')} IS NULL)`,
  beginStop: sql`
    INSERT INTO stops (workspace_id, status, began_at, began_after) VALUES ($1, 'suspended', $2, ${FEED_PLACE})`,
  endStop: sql`
    UPDATE stops SET ended_at = $2, ended_after = ${FEED_PLACE}
    WHERE workspace_id = $1 AND webhook_id IS NULL AND ended_at IS NULL`,
  /** In the order of ids, as all others that lock several. */
  on: sql`
    SELECT id FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL AND status = 'on'
    ORDER BY id ${FOR_NO_KEY_UPDATE}`,
  webhooks: sql`
    SELECT id FROM webhooks WHERE workspace_id = $1 AND deleted_at IS NULL ORDER BY id ${FOR_NO_KEY_UPDATE}`,
  /** Senders on other nodes notice by the new version that their cached webhook is outdated. */
  touchWebhooks: sql`
    UPDATE webhooks SET version = version + 1
    WHERE workspace_id = $1 AND deleted_at IS NULL AND status = 'on'`,
  remove: sql`UPDATE workspaces SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL`,
  revokeKeys: sql`UPDATE keys SET revoked_at = $2 WHERE workspace_id = $1 AND revoked_at IS NULL`,
  operational: sql`SELECT id FROM workspaces WHERE operational_for = $1 AND kind = 'operational' AND deleted_at IS NULL`,
  people: sql`SELECT id, email FROM members WHERE workspace_id = $1`,
  removeConsumers: sql`DELETE FROM consumers WHERE workspace_id = $1`,
  removeSecrets: sql`
    DELETE FROM secrets WHERE webhook_id IN (SELECT id FROM webhooks WHERE workspace_id = $1)`,
  removeWebhooks: sql`
    UPDATE webhooks SET deleted_at = $2, updated_at = $2, version = version + 1
    WHERE workspace_id = $1 AND deleted_at IS NULL`,
}

interface Id {
  readonly id: number
}

interface Person extends Id {
  readonly email: string
}

const idsOf = (rows: readonly Id[]): number[] => rows.map(({ id }) => id)

export const workspaceQueries: Queries<
  'createWorkspace' | 'getWorkspace' | 'listWorkspaces' | 'suspendWorkspace' | 'deleteWorkspace'
> = {
  createWorkspace: write(function* ({ publicId, dialect, isStored, slug, name, now }) {
    if (isStored === true && !(yield* holdProfile(dialect))) return null
    return (yield* row<Workspace>(workspaceSql.create, [publicId, dialect, slug, name, now])) ?? null
  }),
  getWorkspace: lookup(function* ({ ref, dialects }) {
    const any = yield* rows<Workspace>(workspaceSql.find, [ref])
    const found = any.filter(({ dialect }) => dialects === null || dialects.includes(dialect))
    const named = found.find(({ publicId }) => publicId === ref)
    // Two dialects may each have this slug; guessing could suspend or delete the wrong one.
    return named ?? (found.length === 1 ? found[0]! : null)
  }),
  listWorkspaces: list(({ limit, before }) =>
    rows<Workspace>(workspaceSql.list, [before ?? Number.MAX_SAFE_INTEGER, limit]),
  ),
  suspendWorkspace: write(function* ({ workspaceId, suspended, now }) {
    const [, changed] = yield* all(
      callDriver('excludePublishes', [workspaceId]),
      run(workspaceSql.suspend, [workspaceId, suspended ? now : null]),
    )
    if (changed === 0) return null
    const [webhooks] = yield* all(
      rows<Id>(workspaceSql.on, [workspaceId]),
      run(workspaceSql.touchWebhooks, [workspaceId]),
      callDriver('matchingChanged', [workspaceId]),
      run(workspaceSql[suspended ? 'beginStop' : 'endStop'], [workspaceId, now]),
    )
    return idsOf(webhooks)
  }),
  deleteWorkspace: write(function* ({ workspaceId, now }) {
    const operational = idsOf(yield* rows<Id>(workspaceSql.operational, [workspaceId]))
    const [, , removed] = yield* all(
      callDriver('removePeople'),
      callDriver('excludePublishes', [workspaceId, ...operational]),
      run(workspaceSql.remove, [workspaceId, now]),
    )
    if (removed === 0) return null
    const [webhooks, people] = yield* all(
      removeWebhooks(workspaceId, now),
      rows<Person>(workspaceSql.people, [workspaceId]),
      run(workspaceSql.revokeKeys, [workspaceId, now]),
      run(workspaceSql.removeConsumers, [workspaceId]),
    )
    const webhookIds = [...webhooks]
    for (const id of operational) {
      yield* run(workspaceSql.remove, [id, now])
      webhookIds.push(...(yield* removeWebhooks(id, now)))
    }
    const emails = people.map(({ email }) => email)
    yield* endSessionsWithoutRights({ emails, memberIds: idsOf(people) }, now)
    yield* cancel(webhookIds, now)
    return webhookIds
  }),
}

/** @returns those that there were */
function* removeWebhooks(workspaceId: number, now: number): Work<readonly number[]> {
  const [webhooks] = yield* all(
    rows<Id>(workspaceSql.webhooks, [workspaceId]),
    run(workspaceSql.removeWebhooks, [workspaceId, now]),
    run(workspaceSql.removeSecrets, [workspaceId]),
    callDriver('matchingChanged', [workspaceId]),
  )
  return idsOf(webhooks)
}
