import { expect, it } from 'vitest'
import { stateOf, webhookOf } from '../src/api/webhookJson.ts'
import { description } from './descriptions/index.ts'

const since = '2026-01-01T00:00:00.000Z'
const of = (status: 'on' | 'off' | 'paused', failingSince: string | null) => stateOf({ status, failingSince })

it('is failing while it is enabled and nothing arrives', () => {
  expect(of('on', null)).toEqual({ kind: 'on' })
  expect(of('on', since)).toEqual({ kind: 'failing', since })
})
it('is paused or disabled, whatever its last attempts were', () => {
  expect(of('paused', since)).toEqual({ kind: 'paused' })
  expect(of('off', since)).toEqual({ kind: 'off', reason: null })
  expect(stateOf({ status: 'off', offReason: 'gone', failingSince: since })).toEqual({
    kind: 'off',
    reason: 'gone',
  })
})
it('is failing where the service cannot disable webhooks', () => {
  expect(stateOf({ failingSince: null })).toEqual({ kind: 'on' })
  expect(stateOf({ failingSince: since })).toEqual({ kind: 'failing', since })
})
it('drops a secret from an answer that shows one', () => {
  const shown = {
    id: 'wh_1',
    url: 'https://a.example.com/',
    description: '',
    warn: null,
    createdAt: since,
    updatedAt: since,
  }
  const made = { ...shown, types: ['plan.ready'], failingSince: null, signingSecret: 'whsec_1' }
  const state = { kind: 'on' as const }
  expect(webhookOf(made, description('ads'))).toEqual({ ...shown, eventTypes: ['plan.ready'], state })
})
