import { randomUUID } from 'node:crypto'
import { adsCatalog, contentCatalog } from '../../src/profiles/builtIn.ts'

/** A content event that is valid in every member. */
export function contentEvent(overrides: object = {}) {
  return {
    type: 'version.approved',
    data: contentCatalog.get('version.approved')!.example,
    actor_id: 'usr_01',
    links: { app: 'https://app.example.com/x', api: 'https://api.example.com/x' },
    timestamp: '2026-03-14T09:26:53.589Z',
    ...overrides,
  }
}

/** An ads event that is valid in every member. */
export function adsEvent(overrides: object = {}) {
  const type = 'campaign.created.v1'
  const {
    example,
    members: { entityType },
  } = adsCatalog.get(type)!
  return {
    type,
    entityType,
    entityId: randomUUID(),
    payload: example,
    occurredAt: '2026-03-14T10:26:53+01:00',
    ...overrides,
  }
}

export const TARGET = 'https://hooks.example.com/posthorn'
