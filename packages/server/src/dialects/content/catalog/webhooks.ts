import { closed, message } from '../../payloadSchemas.ts'
import { eventType, webhookId } from './shared.ts'

export const webhookEvents = [
  eventType({
    type: 'webhook.test',
    title: 'Test',
    description:
      'Sent only when somebody presses test for a webhook, to that webhook alone. It is signed and logged like any other event.',
    group: 'Webhooks',
    subscribable: false,
    schema: closed('A test of one webhook.', {
      webhook: closed('The webhook under test.', { id: webhookId('The webhook, as the API knows it.') }),
      message: message('A sentence for whoever looks at the request.'),
    }),
    example: {
      webhook: { id: 'wh_01k94jv3a7c2m8x0e5rq6tdn4b' },
      message: 'This is a test. If your endpoint answers with a 2xx status, the webhook works.',
    },
  }),
]
