/**
 * For a route of Express: `app.post('/hooks', webhookHandler(receiver, handle))`. Register the route before `express.json()`,
 * or use `express.raw()`, or keep the raw bytes: `express.json({ verify: (request, _, raw) => { request.rawBody = raw } })`.
 */
export * from './node.ts'
