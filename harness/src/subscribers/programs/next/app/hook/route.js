import { createReceiver } from '@posthorn/receiver'
import { webhookHandler } from '@posthorn/receiver/next'

/** Next.js loads this file during the build, when there is no secret. */
let receiver

export const POST = webhookHandler(
  () => (receiver ??= createReceiver({ scheme: 'standard', secrets: process.env.WEBHOOK_SECRET })),
  () => {},
)
