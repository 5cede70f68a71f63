import { expect, test } from 'vitest'
import { hasEffect, isRemembered, toRemember } from '../../src/storage/queries/changes.ts'
import type {
  Consumer,
  Member,
  Operator,
  Replay,
  Session,
  SignInLink,
  Webhook,
  Workspace,
} from '../../src/storage/rows.ts'
import type { ChangeName, ChangeResult, ManualSendResult } from '../../src/storage/storage.ts'

const row = {} as Workspace & Member & Session & Webhook & Replay & Operator & SignInLink & Consumer
const limit = { remaining: 0, resetMs: 1 }
const sent = { outcome: 'accepted', delivery: {}, limit } as ManualSendResult
const tooMany = { outcome: 'rate_limited', limit } as const
const other = { outcome: 'other_version', version: 2 } as const
const repeat = { id: 1, broughtId: null, createdAt: 0 }
const leased = [{ deliveryId: 1, createdAt: 0, lease: 1, webhookId: 1, webhookVersion: 1, event: 0 }]
const accepted = {
  outcome: 'accepted',
  repeats: [null, repeat],
  deliveries: 2,
  late: 0,
  leased,
  unleased: [3],
} as const
const full = { outcome: 'fanout_full', waiting: 9 } as const
const conflict = { outcome: 'id_conflict', event: 0 } as const

type Results<N extends ChangeName> = {
  readonly changed: readonly ChangeResult<N>[]
  readonly unchanged?: readonly ChangeResult<N>[]
  readonly refused?: readonly ChangeResult<N>[]
}

const profile = { name: 'billing', version: 1, createdAt: 0, updatedAt: 0 }
const put = { outcome: 'put', profile } as const
const changes: { readonly [N in ChangeName]: Results<N> } = {
  createWorkspace: { changed: [row], refused: [null] },
  putProfile: {
    changed: [put],
    refused: [{ outcome: 'other_version', version: 2 }, { outcome: 'too_many' }],
  },
  removeProfile: {
    changed: [{ outcome: 'removed' }],
    refused: [{ outcome: 'not_found' }, { outcome: 'in_use', workspaces: ['acme'] }],
  },
  suspendWorkspace: { changed: [[], [1]], refused: [null] },
  deleteWorkspace: { changed: [[], [1]], refused: [null] },
  createMember: { changed: [row], refused: [null] },
  updateMember: {
    changed: [{ member: row, changed: true }],
    unchanged: [{ member: row, changed: false }],
    refused: [null],
  },
  updatePreferences: {
    changed: [{ member: row, changed: true }],
    unchanged: [{ member: row, changed: false }],
    refused: [null],
  },
  deleteMember: { changed: [true], refused: [false] },
  createKey: { changed: [row as never], refused: [null] },
  revokeKey: { changed: [true], refused: [false] },
  createAdminToken: { changed: [row as never], refused: [null] },
  revokeAdminToken: { changed: [true], refused: [false] },
  createSession: { changed: [row], refused: [null] },
  deleteSession: { changed: [true], refused: [false] },
  deleteSessions: { changed: [1, 5], unchanged: [0] },
  createOperator: { changed: [row], refused: [null] },
  createSignInLink: { changed: [{ outcome: 'created', link: row }], refused: [tooMany] },
  createPortalLink: { changed: [row], refused: [null] },
  createWebhook: {
    changed: [{ outcome: 'created', webhook: row }],
    refused: [{ outcome: 'limit_reached' }, { outcome: 'workspace_not_found' }],
  },
  updateWebhook: {
    changed: [{ outcome: 'updated', webhook: row, changed: true }],
    unchanged: [{ outcome: 'updated', webhook: row, changed: false }],
    refused: [null, { outcome: 'off' }, other],
  },
  deleteWebhook: { changed: [{ outcome: 'deleted' }], refused: [null, other] },
  rotateSecret: { changed: [{ outcome: 'rotated', webhook: row }], refused: [null, other] },
  sendTest: { changed: [sent], refused: [tooMany, { outcome: 'not_found' }] },
  resend: {
    changed: [sent],
    refused: [
      tooMany,
      { outcome: 'not_found' },
      { outcome: 'webhook_not_on', status: 'off' },
      { outcome: 'wrong_status', status: 'pending' },
    ],
  },
  retryDelivery: { changed: [sent], refused: [tooMany, { outcome: 'wrong_status', status: 'failed' }] },
  retryWebhook: {
    changed: [{ outcome: 'accepted', retry: row as never, started: true, limit: null }],
    unchanged: [{ outcome: 'accepted', retry: row as never, started: false, limit: null }],
    refused: [tooMany],
  },
  createReplay: {
    changed: [{ outcome: 'created', replay: row, limit: null }],
    refused: [tooMany, { outcome: 'full' }, { outcome: 'not_found' }],
  },
  cancelReplay: {
    changed: [{ replay: row, changed: true }],
    unchanged: [{ replay: row, changed: false }],
    refused: [null],
  },
  createConsumer: {
    changed: [{ outcome: 'created', consumer: row }],
    refused: [{ outcome: 'exists' }, { outcome: 'limit_reached' }, { outcome: 'workspace_not_found' }],
  },
  seekConsumer: { changed: [row], refused: [null] },
  deleteConsumer: { changed: [true], refused: [false] },
  acknowledge: {
    changed: [{ outcome: 'acknowledged', consumer: row, moved: true }],
    unchanged: [{ outcome: 'acknowledged', consumer: row, moved: false }],
    refused: [{ outcome: 'outdated' }, { outcome: 'not_found' }],
  },
  publish: {
    changed: [[accepted], [accepted, accepted]],
    refused: [[conflict], [accepted, conflict], [full]],
  },
}

const cases = Object.entries(changes).flatMap(
  ([call, { changed, unchanged = [], refused = [] }]: [string, Results<ChangeName>]) => [
    ...changed.map((result) => ({ call: call as ChangeName, result, audited: true, remembered: true })),
    ...unchanged.map((result) => ({ call: call as ChangeName, result, audited: false, remembered: true })),
    ...refused.map((result) => ({ call: call as ChangeName, result, audited: false, remembered: false })),
  ],
)

test.each(cases)('$call that answers $result: audited $audited, remembered $remembered', (one) => {
  expect(hasEffect(one.call, one.result)).toBe(one.audited)
  expect(isRemembered(one.call, one.result)).toBe(one.remembered)
})

test('leases of a publish are not remembered, everything else is', () => {
  expect(toRemember('publish', [accepted])).toEqual([{ ...accepted, leased: [], unleased: [] }])
  expect(toRemember('rotateSecret', { outcome: 'rotated', webhook: row })).toEqual({
    outcome: 'rotated',
    webhook: row,
  })
})
