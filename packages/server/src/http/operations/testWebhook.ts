import { Type } from 'typebox'
import { type EventType, typeOf } from '../../core/catalog.ts'
import type { Dialect } from '../../core/dialect.ts'
import type { Webhook } from '../../storage/rows.ts'
import { idempotencyHeaders } from '../shared/changes.ts'
import { sendManually } from '../shared/deliveries.ts'
import { eventTypeMistake } from '../shared/eventTypes.ts'
import { invalidRequest } from '../shared/problems.ts'
import { optionalBody } from '../shared/schemas.ts'
import { findWebhook } from '../shared/webhooks.ts'
import { deliveryJson, deliverySchema } from './delivery.ts'
import { operation } from './operation.ts'
import { manualLimit, manualSendProblems } from './texts.ts'
import { webhookParams } from './webhook.ts'
import { receiverWords, serviceTitle } from './words.ts'

export const testWebhook = operation<{ body: { readonly type?: string } }>({
  name: 'testWebhook',
  method: 'POST',
  path: () => '/webhooks/:id/test',
  isIn: ({ operations }) => operations.test !== null,
  access: ({ operations }) => ({
    scopes: operations.test?.scopes ?? [],
    members: 'owners',
    operators: true,
  }),
  schema(service) {
    const { profile, testEvent } = service
    const { one } = receiverWords(profile)
    const usual =
      testEvent === null ? `the example of the first type that the ${one} receives` : `\`${testEvent.type}\``
    return {
      operationId: `test${serviceTitle(profile)}Webhook`,
      tags: ['Webhooks'],
      summary: 'Send a test',
      description: [
        `Sends an event only to this ${one}, now: ${usual}, or the example of a type that it receives. It is one attempt without retries, and does not affect the health and stats of the ${one}.`,
        ...manualLimit(profile),
      ].join(' '),
      params: webhookParams(service),
      headers: idempotencyHeaders,
      body: optionalBody({
        type: Type.Optional(
          Type.String({ description: `A type that the ${one} receives, whose example is sent.` }),
        ),
      }),
      response: {
        202: deliverySchema(service),
        ...manualSendProblems(profile),
      },
    }
  },
  async run({ ctx, caller, request, reply, params, body }) {
    const { workspace } = caller
    const webhook = await findWebhook(ctx, workspace, params.id!)
    const type = testedType(ctx.dialect, webhook, body.type)
    const delivery = await sendManually(ctx, request, reply, null, (by) =>
      ctx.engine.sendTest(workspace, webhook, type, by),
    )
    return deliveryJson(ctx, caller, delivery)
  },
})

/** @param asked a type by its name; `undefined`: the usual one @throws Problem */
function testedType({ catalog, testEvent }: Dialect, webhook: Webhook, asked: string | undefined): EventType {
  const name = asked ?? testEvent?.type ?? usualOf(catalog, webhook)
  if (name === undefined)
    throw mistaken('is required, because the catalog of the service lists no event types')
  if (name === testEvent?.type) return typeOf(catalog, name)!
  const mistake = eventTypeMistake(catalog, name)
  if (mistake !== null) throw mistaken(mistake)
  const { eventTypes } = webhook
  if (eventTypes.length > 0 && !eventTypes.includes(name))
    throw mistaken(
      `must be an event type that the webhook receives, such as ${eventTypes.slice(0, MAX_NAMED).join(', ')}`,
    )
  return typeOf(catalog, name)!
}

const MAX_NAMED = 5

function usualOf(catalog: Dialect['catalog'], { eventTypes }: Webhook): string | undefined {
  if (eventTypes.length > 0) return eventTypes[0]
  return [...catalog.values()].find(({ subscribable }) => subscribable)?.type
}

const mistaken = (message: string) => invalidRequest([{ pointer: '/type', message }])
