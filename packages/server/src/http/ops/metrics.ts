import { Type } from 'typebox'
import type { Route } from '../shared/context.ts'
import { problemResponses } from '../shared/problems.ts'

const schema = {
  operationId: 'metrics',
  tags: ['Operations'],
  summary: 'Metrics in the Prometheus text format',
  description: 'Counts and durations of publishes, attempts and requests, and the state of the process.',
  produces: ['text/plain'],
  response: { 200: { content: { 'text/plain': { schema: Type.String() } } }, ...problemResponses() },
}

export const metrics: Route = (app, ctx) => {
  app.get('/metrics', { schema }, async (_request, reply) => {
    reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
    return ctx.metricsText()
  })
}
