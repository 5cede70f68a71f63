import { ADMIN_TOKEN } from '../../support/posthorn.ts'
import type { DocumentStage } from './documentStage.ts'
import type { Provisioning } from './provisioning.ts'

const profile = (name: string) => ({ profile: 1, name, title: 'Billing' })
/** Requests are never sent there. */
const TARGET = 'https://hooks.example.com/'

export async function adminStage(p: Provisioning): Promise<DocumentStage> {
  const { id: ws } = await p.workspace('content', 'documents-admin')
  const [suspended, deleted] = [await p.workspace('ads', 'suspended'), await p.workspace('ads', 'deleted')]
  const [kept, gone] = [await p.member(ws, 'owner'), await p.member(ws, 'gone')]
  const key = (name: string) => p.admin('createKey', { ws }, { name, scopes: ['webhooks'] })
  const [keptKey, goneKey] = [await key('kept'), await key('gone')]
  const operator = (name: string) => p.admin('createOperator', {}, { email: `${name}@acme.example`, name })
  for (const name of ['kept', 'gone']) await p.admin('createService', {}, profile(name))
  const [, goneOperator] = [await operator('kept'), await operator('gone')]
  const scopes = ['webhooks', 'generations:read']
  const adminToken = (name: string) => p.admin('createAdminToken', {}, { name })
  const [, goneToken] = [await adminToken('kept'), await adminToken('gone')]
  const publisher = await p.admin('createKey', { ws }, { name: 'webhook', scopes })
  const webhook = await p.make('createContentWebhook', {
    key: publisher.key,
    params: { ws },
    json: { url: TARGET, events: ['plan.ready'] },
  })
  await p.admin('createOperationalWebhook', {}, { url: TARGET })
  for (let i = 0; i < 2; i++) await p.admin('testOperationalWebhook', {})
  const one = { ws, id: kept.id }
  return {
    token: ADMIN_TOKEN,
    tokens: {},
    apart: [
      'deleteOperationalWebhook',
      'deleteMember',
      'revokeKey',
      'deleteOperator',
      'revokeAdminToken',
      'deleteService',
      'deleteWorkspace',
      'suspendWorkspace',
    ],
    params: {
      '': { ws },
      deleteWorkspace: { ws: deleted.id },
      suspendWorkspace: { ws: suspended.id },
      resumeWorkspace: { ws: suspended.id },
      getMember: one,
      updateMember: one,
      deleteMember: { ws, id: gone.id },
      createSession: one,
      deleteSessions: one,
      createPortalLink: one,
      getKey: { ws, id: keptKey.id },
      revokeKey: { ws, id: goneKey.id },
      deleteOperator: { id: goneOperator.id },
      revokeAdminToken: { id: goneToken.id },
      getService: { id: 'kept' },
      updateService: { id: 'kept' },
      deleteService: { id: 'gone' },
    },
    facts: {
      query: { 'GET /admin/v1/stats': { workspace: ws, webhook_id: webhook.id } },
      body: {
        url: TARGET,
        dialect: 'content',
        member_id: kept.id,
        expires_at: '2099-01-01T00:00:00Z',
        scopes: ['webhooks', 'events:write'],
      },
      bodies: {
        'POST /admin/v1/services': profile('made'),
        'PUT /admin/v1/services/{id}': profile('kept'),
      },
    },
  }
}
