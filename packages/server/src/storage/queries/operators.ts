import { OPERATOR_COLUMNS, type OperatorRow, toOperator } from '../rowMappers/signIns.ts'
import { list, type Queries, write } from './query.ts'
import { endSessions } from './sessionEnder.ts'
import { EMAIL_KEY, sql } from './sql.ts'
import { act, all, row, rows } from './work.ts'

const operatorSql = {
  create: sql`
    INSERT INTO operators (public_id, email, name, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (${EMAIL_KEY}) DO NOTHING RETURNING ${OPERATOR_COLUMNS}`,
  list: sql`SELECT ${OPERATOR_COLUMNS} FROM operators WHERE id < $1 ORDER BY id DESC LIMIT $2`,
  remove: sql`DELETE FROM operators WHERE public_id = $1 RETURNING email`,
}

export const operatorQueries: Queries<'createOperator' | 'listOperators' | 'deleteOperator'> = {
  createOperator: write(function* ({ publicId, email, name, now }) {
    const created = yield* row<OperatorRow>(operatorSql.create, [publicId, email, name, now])
    return created === undefined ? null : toOperator(created)
  }),
  listOperators: list(function* ({ limit, before }) {
    const values = [before ?? Number.MAX_SAFE_INTEGER, limit]
    return (yield* rows<OperatorRow>(operatorSql.list, values)).map(toOperator)
  }),
  deleteOperator: write(function* ({ publicId, now }) {
    const [, removed] = yield* all(
      act('removePeople'),
      row<{ readonly email: string }>(operatorSql.remove, [publicId]),
    )
    if (removed !== undefined) yield* endSessions({ emails: [removed.email], memberIds: [] }, now)
    return removed !== undefined
  }),
}
