import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSecretBox } from '../../src/engine/secretBox.ts'
import { World } from '../storage/conformance/world.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

it('master keys are listed with the number of secrets under each, and never shown', async () => {
  const { storage, secretBox } = service
  const w = new World(storage)
  const former = createSecretBox([randomBytes(32)], { writesKeyIds: true })
  const workspace = await w.workspace()
  for (const box of [secretBox, secretBox, former]) {
    const publicId = w.name('wh_')
    await w.webhook(workspace, { publicId, sealedSecret: box.seal('secret', publicId) })
  }
  const unused = createSecretBox([randomBytes(32)])
  const masterKeys = [...secretBox.keyIds, ...unused.keyIds]
  const { nodeId } = await storage.registerNode({ leaseMs: 60_000, masterKeys })
  const { status, json } = await service.admin('GET', '/master-keys')
  expect(status).toBe(200)
  const counts = { short_lived: 0, removable: false }
  expect(json.data).toEqual([
    { id: secretBox.keyIds[0], current: true, signing_secrets: 2, ...counts },
    { id: unused.keyIds[0], current: false, signing_secrets: 0, short_lived: 0, removable: true },
    { id: former.keyIds[0], current: false, signing_secrets: 1, ...counts },
  ])
  expect(json.nodes).toContainEqual({ id: nodeId, master_keys: masterKeys })
  expect(json.nodes).toContainEqual({ id: service.engine.nodeId, master_keys: secretBox.keyIds })
})

it('master keys are listed only for operators', async () => {
  const { key } = await service.workspace('content')
  expect((await service.call({ method: 'GET', url: '/admin/v1/master-keys', key })).status).toBe(401)
  expect((await service.call({ method: 'GET', url: '/admin/v1/master-keys' })).status).toBe(401)
})
