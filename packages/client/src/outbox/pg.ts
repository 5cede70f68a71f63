import type { EventToEmit, Outbox, OutboxOptions } from './event.ts'
import { idsOf, statementsOf } from './statements.ts'

export type { AnyEventToPublish, EventToEmit, Outbox, OutboxOptions } from './event.ts'

/** A client of the package `pg` on which a transaction was begun. */
export interface PgTransaction {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** Emits events through the package `pg`, or whatever takes the same queries. */
export function createOutbox<Event = EventToEmit>(options: OutboxOptions = {}): Outbox<PgTransaction, Event> {
  const { one, many } = statementsOf(options)
  return {
    async emit(transaction, workspace, event) {
      const { rows } = await transaction.query(one, [workspace, JSON.stringify(event)])
      return idsOf(rows)[0]!
    },
    async emitMany(transaction, workspace, events) {
      const { rows } = await transaction.query(many, [
        workspace,
        events.map((event) => JSON.stringify(event)),
      ])
      return idsOf(rows)
    },
  }
}
