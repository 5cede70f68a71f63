import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../core/clock.ts'

/** Headers that every response carries. Nothing here may be cached: it is all per key, and some of it secret. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply
    .header('x-request-id', request.id)
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'no-store')
}

/**
 * For people: they see times in a browser, whose own clock may be off. The header `Date` would not do: it has the clock of
 * this machine, or of a proxy, and not the one that all nodes go by.
 */
export function tellTime(clock: Pick<Clock, 'now'>, reply: FastifyReply): void {
  reply.header('posthorn-time', String(clock.now()))
}
