import { createReceiver } from '@posthorn/receiver'
import { pagesWebhookHandler } from '@posthorn/receiver/next'

let receiver

export const config = { api: { bodyParser: false } }
export default pagesWebhookHandler(
  () => (receiver ??= createReceiver({ scheme: 'standard', secrets: process.env.WEBHOOK_SECRET })),
  () => {},
)
