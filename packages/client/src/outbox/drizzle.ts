import { type SQL, sql } from 'drizzle-orm'
import type { EventToEmit, Outbox, OutboxOptions } from './event.ts'
import { idsOf } from './statements.ts'

export type { AnyEventToPublish, EventToEmit, Outbox, OutboxOptions } from './event.ts'

/** A transaction of Drizzle on PostgreSQL, whichever driver it has: some answer with rows, others with an object that holds them. */
export interface DrizzleTransaction {
  execute(query: SQL): PromiseLike<unknown>
}

/** Emits events in a transaction of Drizzle. */
export function createOutbox<Event = EventToEmit>({
  schema = 'posthorn',
}: OutboxOptions = {}): Outbox<DrizzleTransaction, Event> {
  const emit = sql`${sql.identifier(schema)}.emit`
  return {
    async emit(transaction, workspace, event) {
      const query = sql`SELECT ${emit}(${workspace}::text, ${JSON.stringify(event)}::jsonb) AS id`
      return idsOf(rowsOf(await transaction.execute(query)))[0]!
    },
    async emitMany(transaction, workspace, events) {
      // A parameter that is a list becomes several, so the events go as one JSON text.
      const query = sql`
        SELECT ${emit}(${workspace}::text, e.event) AS id
        FROM jsonb_array_elements(${JSON.stringify(events)}::jsonb) WITH ORDINALITY AS e(event, n) ORDER BY e.n`
      return idsOf(rowsOf(await transaction.execute(query)))
    },
  }
}

const rowsOf = (answer: unknown): readonly unknown[] =>
  Array.isArray(answer) ? answer : (answer as { readonly rows: readonly unknown[] }).rows
