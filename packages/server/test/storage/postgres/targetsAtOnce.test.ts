import { expect, test } from 'vitest'
import { eachOnTwoNodes, store, w } from './eachOnTwoNodes.ts'

eachOnTwoNodes()

const ROTATIONS = 200

test('a target has the secret of its version, however often it is rotated in the meantime', async () => {
  const workspace = await w.workspace()
  const { id: webhookId, version } = await w.webhook(workspace)
  let ended = false
  const rotate = async () => {
    for (let i = 1; i <= ROTATIONS; i++) {
      // The secret's byte is the version from which on it signs.
      const sealedSecret = Uint8Array.of(version + i)
      const params = { workspaceId: workspace.id, webhookId, ifVersions: null, sealedSecret }
      await w.storage.rotateSecret({ ...params, overlapMs: 0, now: w.now + i })
    }
    ended = true
  }
  const load = async () => {
    do {
      const [target] = await store.nodes[1].loadTargets({ webhookIds: [webhookId], now: w.now + ROTATIONS })
      expect(target!.secrets.map(({ sealed }) => sealed[0])).toEqual([target!.version])
    } while (!ended)
  }
  await Promise.all([rotate(), load(), load()])
})
