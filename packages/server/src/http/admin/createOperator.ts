import { adminGuard } from '../shared/auth.ts'
import { byOf, changeInStore, idempotencyHeaders } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { CREATE_PROBLEMS, Problem, problemResponses } from '../shared/problems.ts'
import { closed, emailAddress, label } from '../shared/schemas.ts'
import { operatorJson } from './present.ts'
import { ADMIN_PROBLEMS, OperatorSchema } from './schemas.ts'

const schema = {
  operationId: 'createOperator',
  tags: ['Operators'],
  summary: 'Add an operator',
  description:
    'Somebody who runs this service. Signed in to the console, they may do what the admin token may, and look into every workspace. They may be members of workspaces besides. An operator with this address that claims of the identity provider made becomes independent of them, and keeps its id.',
  headers: idempotencyHeaders,
  body: closed({
    email: emailAddress('No other operator has it.'),
    name: label('What people call the operator.', 200),
  }),
  response: {
    201: OperatorSchema,
    ...problemResponses(...ADMIN_PROBLEMS, ...CREATE_PROBLEMS, 'email_taken'),
  },
}

export const createOperator: Route = (app, ctx) => {
  app.post('/admin/v1/operators', { schema, onRequest: adminGuard(ctx) }, async (request, reply) => {
    const publicId = ctx.engine.ids.createOwn('operator')
    const { result: operator, repeated } = await changeInStore(
      ctx,
      request,
      { verb: 'createOperator', params: { publicId, ...request.body, now: ctx.clock.now() } },
      null,
    )
    if (operator === null) throw new Problem('email_taken', 'There is an operator with this e-mail address.')
    ctx.credentials.forget()
    const { actor } = byOf(request)
    if (!repeated)
      ctx.logger.info({ request_id: request.id, operator: operator.publicId, by: actor }, 'operator added')
    reply.code(201)
    return operatorJson(operator)
  })
}
