/**
 * A route handler: `export const POST = webhookHandler(receiver, handle)` in `app/…/route.ts`. Next.js loads that file when it
 * builds: pass a function that returns the receiver, unless the secret is there then.
 */
export * from './fetch.ts'
/**
 * An API route in `pages/api`. Next.js parses bodies there unless the same file says
 * `export const config = { api: { bodyParser: false } }`.
 */
export { type IncomingRequest, type OutgoingResponse, webhookHandler as pagesWebhookHandler } from './node.ts'
