import { OPERATOR_COLUMNS, type OperatorRow, toOperator } from '../../records/signIns.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { sessionEnder } from './sessionEnder.ts'

const sql = {
  create: `
    INSERT INTO operators (public_id, email, name, created_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (email) DO NOTHING RETURNING ${OPERATOR_COLUMNS}`,
  list: `SELECT ${OPERATOR_COLUMNS} FROM operators WHERE id < ? ORDER BY id DESC LIMIT ?`,
  remove: 'DELETE FROM operators WHERE public_id = ? RETURNING email',
}

type OperatorVerbs = Pick<VerbTable, 'createOperator' | 'listOperators' | 'deleteOperator'>

export function operatorVerbs({ db }: Store): OperatorVerbs {
  const create = db.prepare<[string, string, string, number], OperatorRow>(sql.create)
  const list = db.prepare<[number, number], OperatorRow>(sql.list)
  const remove = db.prepare<[string], string>(sql.remove).pluck()
  const endSessions = sessionEnder(db)
  return {
    createOperator({ publicId, email, name, now }) {
      const row = create.get(publicId, email, name, now)
      return row === undefined ? null : toOperator(row)
    },
    listOperators: ({ limit, before }) => list.all(before ?? Number.MAX_SAFE_INTEGER, limit).map(toOperator),
    deleteOperator({ publicId, now }) {
      const email = remove.get(publicId)
      if (email !== undefined) endSessions({ emails: [email], memberIds: [] }, now)
      return email !== undefined
    },
  }
}
