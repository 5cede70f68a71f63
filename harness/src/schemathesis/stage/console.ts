import { ADMIN_TOKEN } from '../../support/posthorn.ts'
import type { DocumentStage } from './documentStage.ts'
import type { Provisioning } from './provisioning.ts'

export async function consoleStage(p: Provisioning, good: string): Promise<DocumentStage> {
  const { id: ws } = await p.workspace('content', 'documents-console')
  const { id: member } = await p.member(ws, 'owner')
  const other = await p.member(ws, 'other')
  const scopes = ['webhooks', 'generations:read']
  const { key } = await p.admin('createKey', { ws }, { name: 'tool', scopes })
  const webhook = await p.make('createContentWebhook', {
    key,
    params: { ws },
    json: { url: good, events: ['plan.ready'] },
  })
  const filters = { webhook_id: webhook.id, event_type: 'plan.ready' }
  return {
    token: await p.session(ws, member),
    apart: [],
    tokens: {
      signOut: await p.session(ws, member),
      signOutEverywhere: await p.session(ws, other.id),
    },
    params: {
      '': { ws },
      getWebhookSummary: { ws, id: webhook.id },
      listSamples: { ws, type: 'plan.ready' },
    },
    facts: {
      query: {
        'GET /console/v1/workspaces/{ws}/deliveries/live': filters,
        'GET /console/v1/workspaces/{ws}/stats': { webhook_id: webhook.id },
      },
      // This token signs in any caller, but not in an embedded page.
      body: { token: ADMIN_TOKEN, embedded: false },
    },
  }
}
