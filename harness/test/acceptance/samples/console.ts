import { CONTENT_TYPE } from '../../sampleEvents.ts'
import { type Account, portalToken, signInAs } from '../accounts.ts'
import { addressIn } from './admin.ts'
import { addContentWebhook } from './content.ts'
import type { Samples } from './sample.ts'

/** Any member will do. */
const asViewer = async (account: Account) => ({ key: await signInAs(account, 'viewer') })

const inWorkspace = async (account: Account, params: Readonly<Record<string, string>> = {}) => ({
  ...(await asViewer(account)),
  params: { ws: account.ws, ...params },
})

export const consoleSamples: Samples = {
  requestSignInLink: async (account) => ({ json: { email: await addressIn(account) } }),
  signIn: async (account) => ({ json: { token: await portalToken(account) } }),
  getSession: asViewer,
  signOut: asViewer,
  signOutEverywhere: asViewer,
  getPreferences: (account) => inWorkspace(account),
  updatePreferences: async (account) => ({
    ...(await inWorkspace(account)),
    json: { failing_warnings: false },
  }),
  listWebhookSummaries: async (account) => ({
    ...(await inWorkspace(account)),
    query: { ids: (await addContentWebhook(account)).id },
  }),
  getWebhookSummary: async (account) => inWorkspace(account, { id: (await addContentWebhook(account)).id }),
  getWorkspaceOverview: (account) => inWorkspace(account),
  getWorkspaceStats: async (account) => ({
    ...(await inWorkspace(account)),
    query: { period: '7d' },
  }),
  getRules: (account) => inWorkspace(account),
  getWorkspaceService: (account) => inWorkspace(account),
  checkUrl: async (account) => ({
    ...(await inWorkspace(account)),
    json: { url: 'https://hooks.spokewell.com/content' },
  }),
  watchDeliveries: async (account) => ({ ...(await inWorkspace(account)), query: { status: 'pending' } }),
  listEventTypes: (account) => inWorkspace(account),
  listSamples: (account) => inWorkspace(account, { type: CONTENT_TYPE }),
}
