import type { Catalogs } from '../service.ts'
import type { Account, Keys, Workspace } from './account.ts'
import { adsAccount } from './adsAccount.ts'
import type { Api } from './api.ts'
import { contentAccount } from './contentAccount.ts'

/** The person who watches the demo: an owner of each workspace, and an operator. */
const WATCHER = { name: 'You', email: 'you@posthorn.example' }

/** A link that signs the person who watches the demo in to the console. It works once, for 15 minutes. */
export async function linkToConsole(admin: Api): Promise<string> {
  const { url } = await admin.post<{ url: string }>('/admin/v1/sign-in-links', { email: WATCHER.email })
  return url
}

/** Makes a workspace at each service, with owners and keys, as an operator would for a customer. */
export async function openAccounts(
  admin: Api,
  baseUrl: string,
  catalogs: Catalogs,
): Promise<readonly Account[]> {
  await admin.post('/admin/v1/operators', WATCHER)
  const blog = await openWorkspace(admin, {
    workspace: { dialect: 'content', name: 'Spokewell', slug: 'spokewell' },
    owner: { name: 'Jonas', email: 'jonas@spokewell.example' },
    manageScopes: ['webhooks', 'generations:read'],
  })
  const desk = await openWorkspace(admin, {
    workspace: { dialect: 'ads', name: 'Tern & Tide', slug: 'tern-and-tide' },
    owner: { name: 'Ines', email: 'ines@terntide.example' },
    manageScopes: ['webhooks'],
  })
  return [
    contentAccount(baseUrl, blog.workspace, blog.keys, catalogs.content),
    adsAccount(baseUrl, desk.workspace, desk.keys, catalogs.ads),
  ]
}

async function openWorkspace(
  admin: Api,
  wanted: {
    readonly workspace: { readonly dialect: string; readonly name: string; readonly slug: string }
    readonly owner: { readonly name: string; readonly email: string }
    readonly manageScopes: readonly string[]
  },
): Promise<{ readonly workspace: Workspace; readonly keys: Keys }> {
  const workspace = await admin.post<Workspace>('/admin/v1/workspaces', wanted.workspace)
  const at = `/admin/v1/workspaces/${workspace.id}`
  const owner = await admin.post<{ id: string }>(`${at}/members`, { ...wanted.owner, role: 'owner' })
  await admin.post(`${at}/members`, { ...WATCHER, role: 'owner' })
  const publisher = await admin.post<{ key: string }>(`${at}/keys`, {
    name: 'Publisher',
    scopes: ['events:write'],
    member_id: owner.id,
  })
  const manager = await admin.post<{ key: string }>(`${at}/keys`, {
    name: 'Webhooks',
    scopes: wanted.manageScopes,
    member_id: owner.id,
  })
  return { workspace, keys: { publish: publisher.key, manage: manager.key } }
}
