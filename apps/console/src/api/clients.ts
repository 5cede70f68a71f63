import createClient, { type Client } from 'openapi-fetch'
import type { paths as AdminPaths } from '../../../../packages/client/src/generated/admin.ts'
import type { paths as AdsPaths } from '../../../../packages/client/src/generated/ads.ts'
import type { paths as ConsolePaths } from '../../../../packages/client/src/generated/console.ts'
import type { paths as ContentPaths } from '../../../../packages/client/src/generated/content.ts'
import { send } from './send.ts'

const baseUrl = window.location.origin

// Queries hold what was read; the browser's own cache would only show it older than it is.
const options = { baseUrl, fetch: send, cache: 'no-store' } as const

export const consoleApi: Client<ConsolePaths> = createClient<ConsolePaths>(options)
export const adminApi: Client<AdminPaths> = createClient<AdminPaths>(options)
export const contentApi: Client<ContentPaths> = createClient<ContentPaths>(options)

/** The advertising platform's paths name no workspace, so a header does. */
export const adsApi = (workspaceId: string): Client<AdsPaths> =>
  createClient<AdsPaths>({ ...options, headers: { 'posthorn-workspace': workspaceId } })
