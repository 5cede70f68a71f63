import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceJson } from '../../src/http/console/service.ts'
import type { ProfileDocument } from '../../src/profiles/format.ts'
import { profileOf } from '../../src/profiles/profile.ts'
import { openClient, type ServiceName } from './client.ts'
import { signedIn } from './people.ts'
import { startTestService, type TestService } from './service.ts'

const DESCRIPTIONS = new URL('../../../../apps/console/test/descriptions/', import.meta.url)

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

async function serviceOf(name: ServiceName) {
  const { ws } = await openClient(service, name)
  const { token: key } = await signedIn(service, ws.id, 'viewer')
  return service.call({ method: 'GET', url: `/console/v1/workspaces/${ws.slug}/service`, key })
}

it('describes the content service', async () => {
  const { status, json } = await serviceOf('content')
  expect(status).toBe(200)
  expect(json).toEqual({
    name: 'content',
    title: 'Content workflow service',
    case: 'snake',
    paths: 'workspace',
    words: { webhook: 'webhook', types: 'events', resend: 'redeliver', event: 'event' },
    webhook: { all_types: false, state: true },
    operations: {
      test: { type: 'webhook.test' },
      pause: true,
      pause_holds: false,
      redeliver: { from: ['delivered', 'failed', 'canceled'], attempts: 'one' },
      replay: null,
      bulk: false,
      retry: true,
      recover: true,
      recover_missed: false,
    },
    statuses: ['failed', 'pending', 'delivered', 'canceled'],
    catalog: { open: false },
    searchable: expect.arrayContaining(['data.generation.id', 'data.generation.title']),
    body: {
      id: null,
      type: 'type',
      data: 'data',
      members: [
        'type',
        'timestamp',
        'data.workspace.id',
        'data.workspace.slug',
        'data.workspace.name',
        'data.actor_id',
        'data.links',
        'data',
      ],
    },
    unsigned: false,
  })
})

it('describes the ads service', async () => {
  const { status, json } = await serviceOf('ads')
  expect(status).toBe(200)
  expect(json).toMatchObject({
    case: 'camel',
    paths: 'flat',
    words: { webhook: 'endpoint', types: 'types', resend: 'replay' },
    webhook: { all_types: true, state: false },
    operations: {
      test: { type: null },
      pause: false,
      redeliver: null,
      replay: { from: ['dead'], attempts: 'schedule' },
      bulk: true,
    },
    statuses: ['dead', 'pending', 'delivered', 'canceled'],
    body: { id: 'id', type: 'type', data: 'payload' },
  })
})

describe('a profile', () => {
  const named = (name: string) => {
    const path = new URL(`../../profiles/${name}.json`, import.meta.url)
    return serviceJson(profileOf(JSON.parse(readFileSync(path, 'utf8'))))
  }

  it.each(readdirSync(DESCRIPTIONS).filter((name) => name.endsWith('.json')))(
    'is described as in the tests of the console: %s',
    (file) => {
      const expected = JSON.parse(readFileSync(new URL(file, DESCRIPTIONS), 'utf8'))
      expect(named(file.replace('.json', ''))).toEqual(expected)
    },
  )

  it('names the data where it is in the body', () => {
    expect(named('stripe').body).toMatchObject({ id: 'id', type: 'type', data: 'data.object' })
    expect(named('github').body).toEqual({ id: null, type: null, data: null, members: [] })
  })

  it('has an open catalog unless it says otherwise', () => {
    expect(named('standard').catalog).toEqual({ open: true })
  })

  it('without signatures is unsigned', () => {
    const document: ProfileDocument = {
      profile: 1,
      name: 'plain',
      title: 'Plain',
      headers: {},
      signatures: [],
      unsigned: true,
    }
    expect(serviceJson(profileOf(document))).toMatchObject({ unsigned: true })
  })
})
