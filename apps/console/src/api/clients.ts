import createClient, { type Client } from 'openapi-fetch'
import type { paths as AdminPaths } from '../../../../packages/client/src/generated/admin.ts'
import type { paths as ConsolePaths } from '../../../../packages/client/src/generated/console.ts'
import { send } from './send.ts'

const baseUrl = window.location.origin

// The query cache holds responses; the browser's cache would only return stale ones.
const options = { baseUrl, fetch: send, cache: 'no-store' } as const

export const consoleApi: Client<ConsolePaths> = createClient<ConsolePaths>(options)
export const adminApi: Client<AdminPaths> = createClient<AdminPaths>(options)
