import { keyQueries } from './keys.ts'
import { webhookQueries } from './webhooks.ts'

/** What is written once for both databases. */
export const queries = { ...keyQueries, ...webhookQueries }
