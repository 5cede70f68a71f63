import { creatorOf, mustBeCreator } from '../shared/auth.ts'
import type { Caller } from '../shared/caller.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
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
import { BODY_PROBLEMS, CREATE_PROBLEMS, KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { noContent } from '../shared/schemas.ts'
import { type Operation, operation } from './operation.ts'
import { serviceTitle } from './words.ts'

// The webhook that tells a workspace what happens to its webhooks. It is one of each workspace, so paths name none.

const path = () => '/operational-webhook'
const TAG = 'Operational webhook'
const create: Operation['access'] = ({ access }) => ({ scopes: access.create, members: 'owners' })
const change: Operation['access'] = ({ access }) => ({ scopes: access.change, members: 'owners' })
const read: Operation['access'] = ({ access }) => ({ scopes: access.read, members: 'all' })

const callerOf = (caller: Caller): OperationalCaller => ({
  workspace: caller.workspace,
  // Operators read only, and nothing is created then.
  creator: caller.creator ?? { type: 'member', publicId: '' },
  visibility: caller.visibility,
  mayChange: (webhook) => {
    creatorOf(caller)
    mustBeCreator(caller, webhook)
  },
})

const CHANGE_PROBLEMS = [...KEY_PROBLEMS, ...BODY_PROBLEMS, 'role_missing', 'quota_exceeded'] as const

export const operationalOperations: readonly Operation[] = [
  operation<{ body: Parameters<typeof createOperational>[3] }>({
    name: 'createOperationalWebhook',
    method: 'POST',
    path,
    access: create,
    schema: ({ profile }) => ({
      operationId: `create${serviceTitle(profile)}OperationalWebhook`,
      tags: [TAG],
      summary: 'Create the operational webhook',
      description:
        'It gets a signed request when a webhook of the workspace is failing, recovers or is disabled, and when a delivery ends without success. A workspace has at most one. It is never disabled, and its own failures are not reported.',
      headers: idempotencyHeaders,
      body: operationalBody,
      response: {
        201: OperationalWebhookWithSecretSchema,
        ...problemResponses(...CHANGE_PROBLEMS, ...CREATE_PROBLEMS, 'webhook_limit_reached'),
      },
    }),
    async run({ ctx, caller, request, reply, body }) {
      const made = await createOperational(ctx, callerOf(caller), request, body)
      reply.code(201)
      return made
    },
  }),
  operation({
    name: 'getOperationalWebhook',
    method: 'GET',
    path,
    access: read,
    schema: ({ profile }) => ({
      operationId: `get${serviceTitle(profile)}OperationalWebhook`,
      tags: [TAG],
      summary: 'Read the operational webhook',
      description: 'The URL and event types of the operational webhook. Its secret is not shown again.',
      response: { 200: CurrentOperationalWebhookSchema, ...problemResponses(...KEY_PROBLEMS) },
    }),
    run: ({ ctx, caller }) => getOperational(ctx, callerOf(caller)),
  }),
  operation<{ body: Parameters<typeof updateOperational>[3] }>({
    name: 'updateOperationalWebhook',
    method: 'PATCH',
    path,
    access: change,
    schema: ({ profile }) => ({
      operationId: `update${serviceTitle(profile)}OperationalWebhook`,
      tags: [TAG],
      summary: 'Change the operational webhook',
      description:
        'Changes only the given members. A key can change it only if the key created it. Owners can always change it.',
      body: operationalChanges,
      response: { 200: OperationalWebhookSchema, ...problemResponses(...CHANGE_PROBLEMS, 'not_creator') },
    }),
    run: ({ ctx, caller, request, body }) => updateOperational(ctx, callerOf(caller), request, body),
  }),
  operation({
    name: 'deleteOperationalWebhook',
    method: 'DELETE',
    path,
    access: change,
    schema: ({ profile }) => ({
      operationId: `delete${serviceTitle(profile)}OperationalWebhook`,
      tags: [TAG],
      summary: 'Delete the operational webhook',
      description:
        'Cancels its pending deliveries. A key can delete it only if the key created it. Owners can always delete it.',
      response: { 204: noContent, ...problemResponses(...CHANGE_PROBLEMS, 'not_creator') },
    }),
    async run({ ctx, caller, request, reply }) {
      await deleteOperational(ctx, callerOf(caller), request)
      reply.code(204)
      return null
    },
  }),
  operation({
    name: 'rotateOperationalSecret',
    method: 'POST',
    path: () => `${path()}/rotate-secret`,
    access: change,
    schema: ({ profile }) => ({
      operationId: `rotate${serviceTitle(profile)}OperationalWebhookSecret`,
      tags: [TAG],
      summary: 'Rotate the secret of the operational webhook',
      description: 'For 24 hours, every request is signed with both secrets, the new one first.',
      headers: idempotencyHeaders,
      response: {
        200: OperationalWebhookWithSecretSchema,
        ...problemResponses(...CHANGE_PROBLEMS, ...CREATE_PROBLEMS, 'not_creator'),
      },
    }),
    run: ({ ctx, caller, request }) => rotateOperational(ctx, callerOf(caller), request),
  }),
  operation({
    name: 'testOperationalWebhook',
    method: 'POST',
    path: () => `${path()}/test`,
    access: change,
    schema: ({ profile }) => ({
      operationId: `test${serviceTitle(profile)}OperationalWebhook`,
      tags: [TAG],
      summary: 'Test the operational webhook',
      description:
        'Sends it a `webhook.test` event now, in one attempt without retries. Limit: 60 per minute.',
      headers: idempotencyHeaders,
      response: {
        202: OperationalDeliverySchema,
        ...problemResponses(...CHANGE_PROBLEMS, ...CREATE_PROBLEMS, 'rate_limited'),
      },
    }),
    run: ({ ctx, caller, request, reply }) => testOperational(ctx, callerOf(caller), request, reply),
  }),
  operation<{ query: Parameters<typeof listOperationalDeliveries>[2] }>({
    name: 'listOperationalDeliveries',
    method: 'GET',
    path: () => `${path()}/deliveries`,
    access: read,
    schema: ({ profile }) => ({
      operationId: `list${serviceTitle(profile)}OperationalDeliveries`,
      tags: [TAG],
      summary: 'Read the log of the operational webhook',
      description: 'Its deliveries with all attempts, newest first.',
      querystring: operationalDeliveriesQuery,
      response: { 200: OperationalDeliveryPage, ...problemResponses(...KEY_PROBLEMS, 'invalid_request') },
    }),
    run: ({ ctx, caller, query }) => listOperationalDeliveries(ctx, callerOf(caller), query),
  }),
]
