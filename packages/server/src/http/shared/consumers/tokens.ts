import type { Consumer } from '../../../storage/rows.ts'
import type { EventPosition } from '../../../storage/storage.ts'
import type { Context } from '../context.ts'
import { openCursor, writeCursor } from '../pages.ts'

/** What a reader acknowledges: all events up to a place, as the consumer was when they were read. */
export interface AckToken {
  readonly generation: number
  readonly lost: number
  readonly position: EventPosition
}

const scopeOf = ({ id }: Pick<Consumer, 'id'>) => ({ list: 'consumer' as const, ownerId: id })

/** Encrypted, so that only events that were handed out can be acknowledged, and bound to the consumer. */
export const writeToken = (
  ctx: Context,
  consumer: Pick<Consumer, 'id' | 'generation' | 'lost'>,
  position: EventPosition,
): string => writeCursor(ctx, scopeOf(consumer), [consumer.generation, consumer.lost, ...position])

/** @returns `null`: it is no token of this consumer */
export function readToken(ctx: Context, consumer: Pick<Consumer, 'id'>, text: string): AckToken | null {
  const numbers = openCursor(ctx, scopeOf(consumer), text)
  if (numbers === null) return null
  const [generation, lost, ...position] = numbers
  return { generation: generation!, lost: lost!, position }
}
