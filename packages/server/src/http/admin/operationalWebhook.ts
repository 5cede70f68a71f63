import { adminGuard } from '../shared/auth.ts'
import { byOf, idempotencyHeaders } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import {
  CurrentOperationalWebhookSchema,
  createOperational,
  deleteOperational,
  getOperational,
  listOperationalDeliveries,
  type OperationalCaller,
  OperationalDeliveryPage,
  OperationalDeliverySchema,
  OperationalWebhookSchema,
  OperationalWebhookWithSecretSchema,
  operationalBody,
  operationalChanges,
  operationalDeliveriesQuery,
  rotateOperational,
  testOperational,
  updateOperational,
} from '../shared/operational.ts'
import { BODY_PROBLEMS, CREATE_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { noContent } from '../shared/schemas.ts'
import { SEES_ALL } from '../shared/visibility.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

// The operator's operational webhook, which gets the operational events of all workspaces.

const URL = '/admin/v1/operational-webhook'
const tags = ['Operational webhook']
const CHANGE_PROBLEMS = [...ADMIN_PROBLEMS, ...BODY_PROBLEMS, 'not_found'] as const

function callerOf(request: Parameters<typeof byOf>[0]): OperationalCaller {
  const creator = { type: 'member', publicId: byOf(request).actor.id ?? '' } as const
  return { workspace: null, creator, visibility: SEES_ALL, mayChange: () => {} }
}

const createSchema = {
  operationId: 'createOperationalWebhook',
  tags,
  summary: "Create the operator's operational webhook",
  description:
    'It gets a signed request when a webhook of any workspace is failing, recovers or is disabled, and when a delivery ends without success. There is at most one. It is never disabled, and its own failures are not reported.',
  headers: idempotencyHeaders,
  body: operationalBody,
  response: {
    201: OperationalWebhookWithSecretSchema,
    ...problemResponses(...ADMIN_PROBLEMS, ...CREATE_PROBLEMS, 'webhook_limit_reached'),
  },
}
const getSchema = {
  operationId: 'getOperationalWebhook',
  tags,
  summary: "Read the operator's operational webhook",
  description: 'Its secret is not shown again.',
  response: { 200: CurrentOperationalWebhookSchema, ...problemResponses(...ADMIN_PROBLEMS) },
}
const updateSchema = {
  operationId: 'updateOperationalWebhook',
  tags,
  summary: "Change the operator's operational webhook",
  description: 'Changes only the given members.',
  body: operationalChanges,
  response: { 200: OperationalWebhookSchema, ...problemResponses(...CHANGE_PROBLEMS) },
}
const deleteSchema = {
  operationId: 'deleteOperationalWebhook',
  tags,
  summary: "Delete the operator's operational webhook",
  description: 'Its pending deliveries are canceled.',
  response: { 204: noContent, ...problemResponses(...CHANGE_PROBLEMS) },
}
const rotateSchema = {
  operationId: 'rotateOperationalWebhookSecret',
  tags,
  summary: "Rotate the secret of the operator's operational webhook",
  description: 'For 24 hours, every request is signed with both secrets, the new one first.',
  headers: idempotencyHeaders,
  response: {
    200: OperationalWebhookWithSecretSchema,
    ...problemResponses(...CHANGE_PROBLEMS, ...CREATE_PROBLEMS),
  },
}
const testSchema = {
  operationId: 'testOperationalWebhook',
  tags,
  summary: "Test the operator's operational webhook",
  description: 'Sends it a `webhook.test` event now, in one attempt without retries. Limit: 60 per minute.',
  headers: idempotencyHeaders,
  response: {
    202: OperationalDeliverySchema,
    ...problemResponses(...CHANGE_PROBLEMS, ...CREATE_PROBLEMS, 'rate_limited'),
  },
}
const listSchema = {
  operationId: 'listOperationalDeliveries',
  tags,
  summary: "Read the log of the operator's operational webhook",
  description: 'Its deliveries with all attempts, newest first.',
  querystring: operationalDeliveriesQuery,
  response: {
    200: OperationalDeliveryPage,
    ...problemResponses(...ADMIN_PROBLEMS, 'not_found', 'invalid_request'),
  },
}

export const operationalWebhook: Route = (app, ctx) => {
  const onRequest = adminGuard(ctx)
  app.post(URL, { schema: createSchema, onRequest }, async (request, reply) => {
    const made = await createOperational(ctx, callerOf(request), request, request.body)
    reply.code(201)
    return made
  })
  app.get(URL, { schema: getSchema, onRequest }, (request) => getOperational(ctx, callerOf(request)))
  app.patch(URL, { schema: updateSchema, onRequest }, (request) =>
    updateOperational(ctx, callerOf(request), request, request.body),
  )
  app.delete(URL, { schema: deleteSchema, onRequest }, async (request, reply) => {
    await deleteOperational(ctx, callerOf(request), request)
    reply.code(204)
    return null
  })
  app.post(`${URL}/rotate-secret`, { schema: rotateSchema, onRequest }, (request) =>
    rotateOperational(ctx, callerOf(request), request),
  )
  app.post(`${URL}/test`, { schema: testSchema, onRequest }, (request, reply) =>
    testOperational(ctx, callerOf(request), request, reply),
  )
  app.get(`${URL}/deliveries`, { schema: listSchema, onRequest }, (request) =>
    listOperationalDeliveries(ctx, callerOf(request), request.query),
  )
}
