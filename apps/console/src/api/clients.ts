import createClient, { type Client } from 'openapi-fetch'
import type { paths as AdminPaths } from '../../../../packages/client/src/generated/admin.ts'
import type { paths as ConsolePaths } from '../../../../packages/client/src/generated/console.ts'
import { send } from './send.ts'

const baseUrl = window.location.origin

// Queries hold what was read; the browser's own cache would only show it older than it is.
const options = { baseUrl, fetch: send, cache: 'no-store' } as const

export const consoleApi: Client<ConsolePaths> = createClient<ConsolePaths>(options)
export const adminApi: Client<AdminPaths> = createClient<AdminPaths>(options)
