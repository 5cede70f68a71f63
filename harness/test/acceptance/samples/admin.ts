import { type Account, addAdminToken, addKey, addMember, admin, unique } from '../accounts.ts'
import { call, done, receiver } from '../world.ts'
import type { Samples } from './sample.ts'

const onWorkspace = ({ ws }: Account) => ({ ...admin, params: { ws } })
const onMember = async ({ ws }: Account) => ({
  ...admin,
  params: { ws, id: (await addMember(ws, 'editor')).id },
})
const onKey = async (account: Account) => ({
  ...admin,
  params: { ws: account.ws, id: (await addKey(account)).id },
})

/** The email address of a new member. */
export async function addressIn({ ws }: Account): Promise<string> {
  const email = `${unique('ana')}@example.com`
  await done('createMember', { ...admin, params: { ws }, json: { email, name: 'Ana', role: 'viewer' } })
  return email
}

const addOperator = () =>
  done<{ id: string }>('createOperator', {
    ...admin,
    json: { email: `${unique('olga')}@example.com`, name: 'Olga' },
  })

const profile = (name = `${unique('billing')}-x`) => ({
  profile: 1,
  name,
  title: 'Billing',
  catalog: { types: [{ type: 'invoice.paid', title: 'Invoice paid', example: { invoice_id: 'inv_1001' } }] },
})

/** The name of a new service. */
async function addService(): Promise<string> {
  const { name } = await done<{ name: string }>('createService', { ...admin, json: profile() })
  return name
}

/** There is only one for all workspaces, so it may exist. */
const operational = async () => {
  await call('createOperationalWebhook', { ...admin, json: { url: receiver().urlOf('/ok/operational') } })
  return { ...admin }
}

export const adminSamples: Samples = {
  createOperationalWebhook: async () => {
    await call('deleteOperationalWebhook', { ...admin })
    return { ...admin, json: { url: receiver().urlOf(`/ok/${unique('operational')}`) } }
  },
  getOperationalWebhook: operational,
  updateOperationalWebhook: async () => ({ ...(await operational()), json: { events: ['webhook.failing'] } }),
  deleteOperationalWebhook: operational,
  rotateOperationalWebhookSecret: operational,
  testOperationalWebhook: operational,
  listOperationalDeliveries: operational,
  listServices: () => ({ ...admin }),
  createService: () => ({ ...admin, json: profile() }),
  checkService: () => ({ ...admin, json: profile() }),
  getService: async () => ({ ...admin, params: { id: await addService() } }),
  updateService: async () => {
    const name = await addService()
    return { ...admin, params: { id: name }, json: { ...profile(name), title: 'Bills' } }
  },
  deleteService: async () => ({ ...admin, params: { id: await addService() } }),
  healthz: () => ({}),
  readyz: () => ({}),
  metrics: () => ({}),
  createWorkspace: () => ({ ...admin, json: { dialect: 'content', slug: unique('made'), name: 'Made' } }),
  listWorkspaces: () => ({ ...admin, query: { limit: 1 } }),
  getWorkspace: onWorkspace,
  deleteWorkspace: onWorkspace,
  suspendWorkspace: onWorkspace,
  resumeWorkspace: onWorkspace,
  createMember: (account) => ({
    ...onWorkspace(account),
    json: { email: `${unique('ana')}@example.com`, name: 'Ana', role: 'editor' },
  }),
  listMembers: (account) => ({ ...onWorkspace(account), query: { limit: 1 } }),
  getMember: onMember,
  updateMember: async (account) => ({ ...(await onMember(account)), json: { name: 'Bo', role: 'viewer' } }),
  deleteMember: onMember,
  createSession: async (account) => ({ ...(await onMember(account)), json: { minutes: 5 } }),
  deleteSessions: onMember,
  createPortalLink: async (account) => ({ ...(await onMember(account)), json: { minutes: 5 } }),
  createSignInLink: async (account) => ({ ...admin, json: { email: await addressIn(account) } }),
  createOperator: () => ({ ...admin, json: { email: `${unique('olga')}@example.com`, name: 'Olga' } }),
  listOperators: () => ({ ...admin, query: { limit: 1 } }),
  deleteOperator: async () => ({ ...admin, params: { id: (await addOperator()).id } }),
  createAdminToken: () => ({ ...admin, json: { name: unique('ci'), expires_at: '2090-01-01T00:00:00Z' } }),
  listAdminTokens: () => ({ ...admin, query: { limit: 1 } }),
  revokeAdminToken: async () => ({ ...admin, params: { id: (await addAdminToken()).id } }),
  createKey: (account) => ({
    ...onWorkspace(account),
    json: {
      name: unique('key'),
      scopes: ['webhooks'],
      member_id: account.ownerId,
      expires_at: '2090-01-01T00:00:00Z',
    },
  }),
  listKeys: (account) => ({ ...onWorkspace(account), query: { limit: 1 } }),
  getKey: onKey,
  revokeKey: onKey,
  getStatus: () => ({ ...admin }),
  getOverview: () => ({ ...admin }),
  getStats: ({ ws }) => ({ ...admin, query: { period: '7d', workspace: ws } }),
  listWorkspaceStats: () => ({ ...admin, query: { period: '1h', limit: 3 } }),
  listFailingWebhooks: () => ({ ...admin, query: { period: '30d', limit: 3, now: true } }),
  listNodes: () => ({ ...admin }),
  listMasterKeys: () => ({ ...admin }),
  listWarnings: () => ({ ...admin }),
  listOutages: () => ({ ...admin }),
  listAuditLog: ({ ws }) => ({ ...admin, query: { workspace: ws, target: ws, limit: 5 } }),
}
