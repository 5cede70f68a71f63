import { OPERATOR_COLUMNS, type OperatorRow, toOperator } from '../../records/signIns.ts'
import type { Store } from '../store.ts'
import { reads, type VerbTable, writes } from '../verb.ts'
import { endSessions } from './sessionEnder.ts'

const sql = {
  create: `
    INSERT INTO operators (public_id, email, name, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (lower(email)) DO NOTHING RETURNING ${OPERATOR_COLUMNS}`,
  list: `SELECT ${OPERATOR_COLUMNS} FROM operators WHERE id < $1 ORDER BY id DESC LIMIT $2`,
  remove: 'DELETE FROM operators WHERE public_id = $1 RETURNING email',
}

type OperatorVerbs = Pick<VerbTable, 'createOperator' | 'listOperators' | 'deleteOperator'>

export function operatorVerbs({ locks }: Store): OperatorVerbs {
  return {
    createOperator: writes(async (tx, { publicId, email, name, now }) => {
      const row = await tx.row<OperatorRow>(sql.create, [publicId, email, name, now])
      return row === undefined ? null : toOperator(row)
    }),
    listOperators: reads(async (tx, { limit, before }) =>
      (await tx.rows<OperatorRow>(sql.list, [before ?? Number.MAX_SAFE_INTEGER, limit])).map(toOperator),
    ),
    deleteOperator: writes(async (tx, { publicId, now }) => {
      const [, removed] = await Promise.all([
        locks.removePeople(tx),
        tx.row<{ email: string }>(sql.remove, [publicId]),
      ])
      if (removed !== undefined) await endSessions(tx, { emails: [removed.email], memberIds: [] }, now)
      return removed !== undefined
    }),
  }
}
