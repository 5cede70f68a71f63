import { Type } from 'typebox'
import type { Route } from '../shared/context.ts'
import { problemOf } from '../shared/errors.ts'
import { Problem, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'

const schema = {
  operationId: 'readyz',
  tags: ['Operations'],
  summary: 'Whether the node accepts events now',
  description:
    '503: the store is unavailable, or the node is starting or stopping. Send requests to other nodes until this answers 200.',
  response: { 200: closed({ status: Type.Literal('ready') }), ...problemResponses('not_ready') },
}

export const readyz: Route = (app, ctx) => {
  app.get('/readyz', { schema }, async () => {
    try {
      await ctx.engine.check()
    } catch (error) {
      const problem = problemOf(error)
      if (problem.code !== 'internal_error') throw problem
      throw new Problem(
        'not_ready',
        'This node cannot accept events at the moment. Retry, or use another node.',
        {
          headers: { 'retry-after': '5' },
          cause: error,
        },
      )
    }
    return { status: 'ready' as const }
  })
}
