import { Type } from 'typebox'
import type { Route } from '../shared/context.ts'
import { closed } from '../shared/schemas.ts'

const schema = {
  operationId: 'healthz',
  tags: ['Operations'],
  summary: 'Whether the process is alive',
  response: { 200: closed({ status: Type.Literal('ok') }) },
}

export const healthz: Route = (app) => {
  app.get('/healthz', { schema }, async () => ({ status: 'ok' as const }))
}
