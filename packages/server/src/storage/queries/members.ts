import type { Member } from '../rows.ts'
import { endSessions, endSessionsWithoutRights } from './people.ts'
import { list, lookup, type Queries, write } from './query.ts'
import { MEMBER, type MemberRow, OPERATOR, type OperatorRow, toMember, toOperator } from './rowMappers.ts'
import { columns, EMAIL_KEY, FOR_SHARE, FOR_UPDATE, sql } from './sql.ts'
import { all, callDriver, row, rows } from './work.ts'

const MEMBER_COLUMNS = columns(MEMBER)
const OPERATOR_COLUMNS = columns(OPERATOR)

const SELECT = `
  SELECT ${MEMBER_COLUMNS} FROM members m
  WHERE m.workspace_id IN (SELECT id FROM workspaces WHERE id = $1 AND deleted_at IS NULL)`

export const memberSql = {
  create: sql`
    INSERT INTO members (public_id, workspace_id, email, name, role, created_at)
    SELECT $2, id, $3, $4, $5, $6 FROM workspaces WHERE id = $1 AND deleted_at IS NULL ${FOR_SHARE}
    ON CONFLICT (workspace_id, ${EMAIL_KEY}) DO UPDATE SET from_provider = FALSE, name = excluded.name, role = excluded.role
    WHERE members.from_provider RETURNING ${MEMBER_COLUMNS}`,
  get: sql`${SELECT} AND m.public_id = $2`,
  getById: sql`${SELECT} AND m.id = $2`,
  list: sql`${SELECT} AND m.id < $2 ORDER BY m.id DESC LIMIT $3`,
  lock: sql`${SELECT} AND m.public_id = $2 ${FOR_UPDATE}`,
  update: sql`
    UPDATE members SET name = $1, role = $2, failing_warnings = $3 WHERE id = $4 RETURNING ${MEMBER_COLUMNS}`,
  remove: sql`DELETE FROM members WHERE workspace_id = $1 AND public_id = $2 RETURNING email`,
}

export const memberQueries: Queries<
  | 'createMember'
  | 'getMember'
  | 'getMemberById'
  | 'listMembers'
  | 'updateMember'
  | 'updatePreferences'
  | 'deleteMember'
> = {
  createMember: write(function* ({ publicId, workspaceId, email, name, role, now }) {
    return orNull(yield* row<MemberRow>(memberSql.create, [workspaceId, publicId, email, name, role, now]))
  }),
  getMember: lookup(function* ({ workspaceId, publicId }) {
    return orNull(yield* row<MemberRow>(memberSql.get, [workspaceId, publicId]))
  }),
  getMemberById: lookup(function* ({ workspaceId, memberId }) {
    return orNull(yield* row<MemberRow>(memberSql.getById, [workspaceId, memberId]))
  }),
  listMembers: list(function* ({ workspaceId, limit, before }) {
    const values = [workspaceId, before ?? Number.MAX_SAFE_INTEGER, limit]
    return (yield* rows<MemberRow>(memberSql.list, values)).map(toMember)
  }),
  updateMember: write(update),
  updatePreferences: write(update),
  deleteMember: write(function* ({ workspaceId, publicId, now }) {
    const [, removed] = yield* all(
      callDriver('removePeople'),
      row<{ readonly email: string }>(memberSql.remove, [workspaceId, publicId]),
    )
    if (removed === undefined) return false
    yield* endSessionsWithoutRights({ emails: [removed.email], memberIds: [] }, now)
    return true
  }),
}

function* update(params: {
  readonly workspaceId: number
  readonly publicId: string
  readonly changes: Partial<Pick<Member, 'name' | 'role' | 'failingWarnings'>>
}) {
  const { workspaceId, publicId, changes } = params
  const found = yield* row<MemberRow>(memberSql.lock, [workspaceId, publicId])
  if (found === undefined) return null
  const member = toMember(found)
  const { name, role, failingWarnings } = { ...member, ...changes }
  if (name === member.name && role === member.role && failingWarnings === member.failingWarnings)
    return { member, changed: false }
  const updated = yield* row<MemberRow>(memberSql.update, [name, role, failingWarnings, found.id])
  return { member: toMember(updated!), changed: true }
}

function orNull(row: MemberRow | undefined): Member | null {
  return row === undefined ? null : toMember(row)
}

export const operatorSql = {
  create: sql`
    INSERT INTO operators (public_id, email, name, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (${EMAIL_KEY}) DO UPDATE SET from_provider = FALSE, name = excluded.name
    WHERE operators.from_provider RETURNING ${OPERATOR_COLUMNS}`,
  list: sql`SELECT ${OPERATOR_COLUMNS} FROM operators WHERE id < $1 ORDER BY id DESC LIMIT $2`,
  remove: sql`DELETE FROM operators WHERE public_id = $1 RETURNING email`,
}

export const operatorQueries: Queries<'createOperator' | 'listOperators' | 'deleteOperator'> = {
  createOperator: write(function* ({ publicId, email, name, now }) {
    const made = yield* row<OperatorRow>(operatorSql.create, [publicId, email, name, now])
    return made === undefined ? null : toOperator(made)
  }),
  listOperators: list(function* ({ limit, before }) {
    const values = [before ?? Number.MAX_SAFE_INTEGER, limit]
    return (yield* rows<OperatorRow>(operatorSql.list, values)).map(toOperator)
  }),
  deleteOperator: write(function* ({ publicId, now }) {
    const [, removed] = yield* all(
      callDriver('removePeople'),
      row<{ readonly email: string }>(operatorSql.remove, [publicId]),
    )
    if (removed !== undefined) yield* endSessions({ emails: [removed.email], memberIds: [] }, now)
    return removed !== undefined
  }),
}
