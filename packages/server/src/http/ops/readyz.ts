import { Type } from 'typebox'
import type { Route } from '../shared/context.ts'
import { problemOf } from '../shared/errors.ts'
import { Problem, problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'

const schema = {
  operationId: 'readyz',
  tags: ['Operations'],
  summary: 'Whether a publish would be accepted now',
  description:
    'Send publishers to other nodes while this answers 503: the store is unavailable, or the node is starting or stopping.',
  response: { 200: closed({ status: Type.Literal('ready') }), ...problemResponses('not_ready') },
}

export const readyz: Route = (app, ctx) => {
  app.get('/readyz', { schema }, async () => {
    try {
      await ctx.engine.check()
    } catch (error) {
      const problem = problemOf(error)
      if (problem.code !== 'internal_error') throw problem
      throw new Problem('not_ready', 'This node cannot take events right now.', {
        headers: { 'retry-after': '5' },
        cause: error,
      })
    }
    return { status: 'ready' as const }
  })
}
