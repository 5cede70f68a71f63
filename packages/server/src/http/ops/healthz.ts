import { Type } from 'typebox'
import type { Route } from '../shared/context.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed } from '../shared/schemas.ts'

const schema = {
  operationId: 'healthz',
  tags: ['Operations'],
  summary: 'Whether the process is alive',
  description: 'It does not check the store. Restart the process if there is no answer.',
  response: { 200: closed({ status: Type.Literal('ok') }), ...problemResponses() },
}

export const healthz: Route = (app) => {
  app.get('/healthz', { schema }, async () => ({ status: 'ok' as const }))
}
