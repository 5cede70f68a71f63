import type { EventToEmit, Outbox, OutboxOptions } from './event.ts'
import { idsOf, statementsOf } from './statements.ts'

export type { AnyEventToPublish, EventToEmit, Outbox, OutboxOptions } from './event.ts'

/** The argument of the callback of `prisma.$transaction`. */
export interface PrismaTransaction {
  $queryRawUnsafe<T>(query: string, ...values: unknown[]): PromiseLike<T>
}

/** Emits events in an interactive transaction of Prisma. All values are parameters, never part of the SQL text. */
export function createOutbox<Event = EventToEmit>(
  options: OutboxOptions = {},
): Outbox<PrismaTransaction, Event> {
  const { one, many } = statementsOf(options)
  return {
    async emit(transaction, workspace, event) {
      const rows = await transaction.$queryRawUnsafe<unknown[]>(one, workspace, JSON.stringify(event))
      return idsOf(rows)[0]!
    },
    async emitMany(transaction, workspace, events) {
      const texts = events.map((event) => JSON.stringify(event))
      return idsOf(await transaction.$queryRawUnsafe<unknown[]>(many, workspace, texts))
    },
  }
}
