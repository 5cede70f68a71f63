import type { MovedTable } from './movedTable.ts'

const workspaces: MovedTable = {
  name: 'workspaces',
  columns: {
    id: 'integer',
    public_id: 'text',
    dialect: 'text',
    slug: 'text',
    name: 'text',
    suspended_at: 'integer',
    created_at: 'integer',
    deleted_at: 'integer',
  },
  walk: ['id'],
}

const members: MovedTable = {
  name: 'members',
  columns: {
    id: 'integer',
    public_id: 'text',
    workspace_id: 'integer',
    email: 'text',
    name: 'text',
    role: 'text',
    failing_warnings: 'boolean',
    created_at: 'integer',
  },
  walk: ['id'],
}

const keys: MovedTable = {
  name: 'keys',
  columns: {
    id: 'integer',
    public_id: 'text',
    workspace_id: 'integer',
    member_id: 'integer',
    name: 'text',
    scopes: 'text',
    hash: 'bytes',
    created_at: 'integer',
    expires_at: 'integer',
    revoked_at: 'integer',
    last_used_at: 'integer',
  },
  walk: ['id'],
}

const sessions: MovedTable = {
  name: 'sessions',
  columns: {
    id: 'integer',
    public_id: 'text',
    member_id: 'integer',
    hash: 'bytes',
    created_at: 'integer',
    expires_at: 'integer',
  },
  walk: ['id'],
}

const operators: MovedTable = {
  name: 'operators',
  columns: { id: 'integer', public_id: 'text', email: 'text', name: 'text', created_at: 'integer' },
  walk: ['id'],
}

const browserSessions: MovedTable = {
  name: 'browser_sessions',
  columns: {
    id: 'integer',
    public_id: 'text',
    email: 'text',
    hash: 'bytes',
    created_at: 'integer',
    expires_at: 'integer',
  },
  walk: ['id'],
}

const signInLinks: MovedTable = {
  name: 'sign_in_links',
  columns: {
    id: 'integer',
    kind: 'text',
    email: 'text',
    member_id: 'integer',
    hash: 'bytes',
    created_at: 'integer',
    expires_at: 'integer',
    used_at: 'integer',
  },
  walk: ['id'],
}

const webhooks: MovedTable = {
  name: 'webhooks',
  columns: {
    id: 'integer',
    public_id: 'text',
    workspace_id: 'integer',
    url: 'text',
    event_types: 'text',
    description: 'text',
    status: 'text',
    off_reason: 'text',
    failing_since: 'integer',
    warned: 'boolean',
    created_by_type: 'text',
    created_by_public_id: 'text',
    created_at: 'integer',
    updated_at: 'integer',
    version: 'integer',
    canceled_through: 'integer',
    canceled_at: 'integer',
    deleted_at: 'integer',
    stopped_at: 'integer',
    disabled_version: 'integer',
    disabled_at: 'integer',
  },
  walk: ['id'],
}

const webhookUrls: MovedTable = {
  name: 'webhook_urls',
  columns: { webhook_id: 'integer', from_version: 'integer', url: 'text' },
  walk: ['webhook_id', 'from_version'],
}

const secrets: MovedTable = {
  name: 'secrets',
  columns: {
    id: 'integer',
    webhook_id: 'integer',
    sealed: 'bytes',
    created_at: 'integer',
    expires_at: 'integer',
    from_version: 'integer',
    until_version: 'integer',
  },
  walk: ['id'],
}

/** Workspaces and what belongs to them, in an order in which nothing refers to what is not there yet. */
export const ACCOUNT_TABLES: readonly MovedTable[] = [
  workspaces,
  members,
  keys,
  sessions,
  operators,
  browserSessions,
  signInLinks,
  webhooks,
  webhookUrls,
  secrets,
]
