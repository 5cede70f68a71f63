import { expect, it } from 'vitest'
import { featuresOf } from '../src/api/features.ts'
import { serviceName } from '../src/model/serviceName.ts'
import { description } from './descriptions/index.ts'

const features = (name: string, overrides: object = {}) => featuresOf(description(name, overrides))

it('are those of a content workflow service', () => {
  expect(features('content')).toMatchObject({
    noun: 'webhook',
    area: 'Integrations',
    canPause: true,
    pauseHolds: false,
    canRetry: true,
    canRecover: true,
    recoversMissed: false,
    canDisable: true,
    canTest: true,
    testType: 'webhook.test',
    canTakeAllTypes: false,
    resend: { operation: 'redeliver', from: ['delivered', 'failed', 'canceled'], attempts: 'one' },
    canReplayMany: false,
    statuses: ['failed', 'pending', 'delivered', 'canceled'],
    openCatalog: false,
  })
  expect(features('content').eventsPath('acme')).toBe('/v1/workspaces/acme/events')
})

it('are those of an advertising platform', () => {
  expect(features('ads')).toMatchObject({
    noun: 'endpoint',
    area: 'Endpoints',
    canPause: false,
    canDisable: false,
    canTest: true,
    testType: null,
    canTakeAllTypes: true,
    resend: { operation: 'replay', from: ['dead'], attempts: 'schedule' },
    canReplayMany: true,
    statuses: ['dead', 'pending', 'delivered', 'canceled'],
    openCatalog: false,
  })
  expect(features('ads').eventsPath('acme')).toBe('/api/v1/events')
})

it('have the operation that the service names, or its only one', () => {
  const { operations, words } = description('standard')
  const replay = { from: ['failed' as const], attempts: 'schedule' as const }
  const both = { ...operations, replay }
  const own = (resend: 'redeliver' | 'replay') => ({ words: { ...words, resend } })
  const operationOf = (overrides: object) => features('standard', overrides).resend?.operation ?? null
  expect(operationOf({ operations: both })).toBe('redeliver')
  expect(operationOf({ operations: both, ...own('replay') })).toBe('replay')
  expect(operationOf({ operations: { ...both, redeliver: null } })).toBe('replay')
  expect(operationOf({ operations: { ...operations, redeliver: null } })).toBeNull()
})

it('say that nothing is signed', () => {
  expect(features('standard', { unsigned: true }).isSigned).toBe(false)
  expect(features('standard').isSigned).toBe(true)
})

it('use titles as names', () => {
  expect(['content', 'ads', 'my-billing'].map(serviceName)).toEqual(['Content', 'Ads', 'My billing'])
})
