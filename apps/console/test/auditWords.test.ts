import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../src/model/audit.ts'
import { auditWords } from '../src/pages/audit/auditWords.ts'

const entry = (
  action: string,
  details: AuditEntry['details'] = {},
  more: Partial<AuditEntry> = {},
): AuditEntry => ({
  ...{
    at: '2026-03-04T10:00:00.000Z',
    action,
    details,
    workspaceId: 'ws_1',
    workspaceName: 'Acme',
    requestId: null,
  },
  actor: { type: 'member', id: 'usr_1', name: 'Ann', sessionId: null },
  target: { type: 'webhook', id: 'wh_1', name: 'Board' },
  ...more,
})
const said = (given: AuditEntry) => {
  const { verb, object, tail } = auditWords(given, 'endpoint')
  return `${verb}${object === null ? '' : ` <${object.id}>`}${tail}`
}

describe('an audit log entry in words', () => {
  it.each([
    ['consumer.moved', { start: 'oldest' }, 'moved the consumer wh_1'],
    ['webhook.created', {}, 'added the endpoint <wh_1>'],
    ['webhook.updated', { members: ['url', 'event_types'] }, 'changed the endpoint <wh_1>: URL, event types'],
    [
      'webhook.updated',
      { members: ['paused'], paused: false, missed: 1 },
      'resumed the endpoint <wh_1>, which had skipped 1 event',
    ],
    [
      'webhook.updated',
      { members: ['enabled'], enabled: true, missed: 10_000, missed_more: true },
      'enabled the endpoint <wh_1>, which had skipped at least 10,000 events',
    ],
    ['webhook.updated', { members: ['paused'], paused: true }, 'paused the endpoint <wh_1>'],
    [
      'webhook.updated',
      { members: ['description', 'enabled', 'paused'], enabled: true, paused: false },
      'resumed and enabled and changed the endpoint <wh_1>: description',
    ],
    ['webhook.updated', { members: [] }, 'changed the endpoint <wh_1>'],
    [
      'webhook.updated',
      { members: ['max_per_second', 'max_in_flight', 'warn', 'snoozed_until'] },
      'changed the endpoint <wh_1>: rate limit, concurrent attempts, early-warning rule, snooze',
    ],
    ['webhook.retried', {}, 'retried the pending deliveries of the endpoint <wh_1>'],
    [
      'webhook.switched_off',
      { reason: 'gone' },
      'disabled the endpoint <wh_1>, because its receiver responded with 410 Gone',
    ],
    ['member.created', { role: 'owner' }, 'added the member <wh_1> as owner'],
    [
      'member.updated',
      { members: ['name', 'role'], role: 'viewer' },
      'changed the member <wh_1>: name, role, now viewer',
    ],
    ['session.created', { member: 'usr_2' }, 'created a session for the member <usr_2>'],
    [
      'key.created',
      { name: 'CI', scopes: ['webhooks', 'events:write'] },
      'created the API key <wh_1> with scopes webhooks, events:write',
    ],
    ['replay.created', { deliveries: 1_200 }, 'replayed 1,200 deliveries'],
    ['recovery.created', { deliveries: 1 }, 'recovered 1 delivery of the endpoint <wh_1>'],
    ['recovery.canceled', {}, 'canceled a recovery of the endpoint <wh_1>'],
    ['service.added', { title: 'Billing', version: 1 }, 'added the service <wh_1>'],
    ['service.updated', { title: 'Billing', version: 3 }, 'changed the service <wh_1>, now version 3'],
    ['service.removed', {}, 'removed the service <wh_1>'],
    ['admin_token.created', { name: 'CI' }, 'created the admin token <wh_1>'],
    ['admin_token.revoked', {}, 'revoked the admin token <wh_1>'],
    ['something.newer', {}, 'did “something.newer” to the endpoint <wh_1>'],
  ])('%s %j', (action, details, words) => expect(said(entry(action, details))).toBe(words))

  it('says only that people who sign in on their own did so', () => {
    const target = { type: 'member', id: 'usr_1', name: 'Ann' }
    expect(said(entry('member.signed_in', {}, { target }))).toBe('signed in')
    expect(said(entry('member.signed_out', {}, { target }))).toBe('signed out')
    expect(said(entry('member.signed_out', { everywhere: true }, { target }))).toBe('signed out everywhere')
    const operator = { type: 'operator', id: null, name: null, sessionId: null }
    expect(said(entry('member.signed_out', {}, { target, actor: operator }))).toBe(
      'signed out the member <usr_1> everywhere',
    )
  })

  it('names no webhook in a recovery whose webhook is deleted', () => {
    const target = { type: 'recovery', id: 'rec_1', name: null }
    expect(said(entry('recovery.canceled', { recovery: 'rec_1' }, { target }))).toBe('canceled a recovery')
  })

  it('names a service by its title at that time, or by its name', () => {
    const target = { type: 'service', id: 'billing', name: null }
    const named = (details: AuditEntry['details']) =>
      auditWords(entry('service.added', details, { target, workspaceId: null }), 'webhook').object?.name
    expect(named({ title: 'Billing' })).toBe('Billing')
    expect(named({})).toBe('billing')
  })

  it('ignores details that are not text', () => {
    expect(said(entry('member.created', { role: { a: 1 } }))).toBe('added the member <wh_1>')
    expect(said(entry('webhook.updated', { members: 'all' }))).toBe('changed the endpoint <wh_1>')
  })
})
