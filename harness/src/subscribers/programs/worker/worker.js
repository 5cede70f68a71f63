import { webhookHandler } from './receiver/fetch.js'
import { createReceiver } from './receiver/index.js'

let receiver

export default {
  fetch: webhookHandler(
    (_request, env) => (receiver ??= createReceiver({ scheme: 'standard', secrets: env.WEBHOOK_SECRET })),
    () => {},
  ),
}
