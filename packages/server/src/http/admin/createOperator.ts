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
    "A person who runs this service. In the console, operators have the rights of the admin token and can view every workspace. They can also be members of workspaces. If the identity provider's claims created an operator with this address, it becomes independent of them and keeps its id.",
  headers: idempotencyHeaders,
  body: closed({
    email: emailAddress('Unique among operators.'),
    name: label('Display name.', 200),
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
      { call: 'createOperator', params: { publicId, ...request.body, now: ctx.clock.now() } },
      null,
    )
    if (operator === null)
      throw new Problem('email_taken', 'There is already an operator with this e-mail address.')
    ctx.credentials.forget()
    const { actor } = byOf(request)
    if (!repeated)
      ctx.logger.info({ request_id: request.id, operator: operator.publicId, by: actor }, 'operator added')
    reply.code(201)
    return operatorJson(operator)
  })
}
