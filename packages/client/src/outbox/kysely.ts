import { CompiledQuery } from 'kysely'
import type { EventToEmit, Outbox, OutboxOptions } from './event.ts'
import { idsOf, statementsOf } from './statements.ts'

export type { AnyEventToPublish, EventToEmit, Outbox, OutboxOptions } from './event.ts'

/** A `Transaction` of Kysely, of any database schema. */
export interface KyselyTransaction {
  executeQuery(query: CompiledQuery): Promise<{ readonly rows: readonly unknown[] }>
}

/** Emits events in a transaction of Kysely. */
export function createOutbox<Event = EventToEmit>(
  options: OutboxOptions = {},
): Outbox<KyselyTransaction, Event> {
  const { one, many } = statementsOf(options)
  return {
    async emit(transaction, workspace, event) {
      const query = CompiledQuery.raw(one, [workspace, JSON.stringify(event)])
      return idsOf((await transaction.executeQuery(query)).rows)[0]!
    },
    async emitMany(transaction, workspace, events) {
      const query = CompiledQuery.raw(many, [workspace, events.map((event) => JSON.stringify(event))])
      return idsOf((await transaction.executeQuery(query)).rows)
    },
  }
}
