import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { checkOf, createSecretBox } from '../../../src/engine/secretBox.ts'
import type { Webhook } from '../../../src/storage/rows.ts'
import type { SealedCount } from '../../../src/storage/storage.ts'
import type { Subject } from './subject.ts'
import { HOUR_MS } from './world.ts'

const [OLD, NEW] = [randomBytes(32), randomBytes(32)]
const withoutId = createSecretBox([OLD])
const oldBox = createSecretBox([OLD, NEW])
const newBox = createSecretBox([NEW, OLD])
const [newId, oldId] = newBox.keyIds as [string, string]

const byId = (counts: readonly SealedCount[]) =>
  new Map(counts.map(({ keyId, count }) => [keyId, count] as const))

export function masterKeySuite({ world }: Subject): void {
  /** Webhooks of a fresh workspace, whose secrets were encrypted with these boxes. */
  async function sealed(boxes: readonly (typeof withoutId)[]) {
    const w = world()
    const before = await lastId()
    const workspace = await w.workspace()
    const webhooks: Webhook[] = []
    for (const box of boxes) {
      const publicId = w.name('wh_')
      webhooks.push(
        await w.webhook(workspace, { publicId, sealedSecret: box.seal(`of ${publicId}`, publicId) }),
      )
    }
    const read = async (limit = 100) => w.storage.readSealed({ afterId: before, limit })
    return { w, before, webhooks, read }
  }

  async function lastId(): Promise<number> {
    let afterId = 0
    for (;;) {
      const { secrets, nextAfterId } = await world().storage.readSealed({ afterId, limit: 1_000 })
      if (nextAfterId === 0) return secrets.at(-1)?.id ?? afterId
      afterId = nextAfterId
    }
  }

  describe('master keys', () => {
    test('the check of the first key is kept until it is replaced', async () => {
      const { storage } = world()
      const kept = await storage.keepKeyCheck({ check: checkOf(OLD) })
      expect(Buffer.compare(await storage.keepKeyCheck({ check: checkOf(NEW) }), kept)).toBe(0)
      await storage.replaceKeyCheck({ check: checkOf(NEW) })
      expect(Buffer.compare((await storage.readKeyCheck({}))!, checkOf(NEW))).toBe(0)
    })

    test('nodes are listed with the ids of their keys, the current one first', async () => {
      const { storage } = world()
      const { nodeId } = await storage.registerNode({ leaseMs: HOUR_MS, masterKeys: newBox.keyIds })
      const other = await world().node()
      const listed = (await storage.listNodes({})).filter(({ id }) => id >= nodeId)
      expect(listed.map(({ id, masterKeys }) => [id, masterKeys])).toEqual([
        [nodeId, [newId, oldId]],
        [other, null],
      ])
    })

    test('secrets are counted by key in parts of any size, however many parts that takes', async () => {
      const { w, before } = await sealed([oldBox, withoutId, newBox, oldBox, withoutId])
      const whole = await w.storage.countSealed({ afterId: before, limit: 100 })
      expect(whole.nextAfterId).toBe(0)
      expect(byId(whole.counts)).toEqual(
        new Map([
          [null, 2],
          [oldId, 2],
          [newId, 1],
        ]),
      )
      let [afterId, sum, parts] = [before, 0, 0]
      do {
        const part = await w.storage.countSealed({ afterId, limit: 2 })
        sum += part.counts.reduce((all, { count }) => all + count, 0)
        parts++
        afterId = part.nextAfterId
      } while (afterId > 0)
      expect([sum, parts]).toEqual([5, 3])
    })

    test('secrets are read in the order of their ids, with the webhook that they are encrypted for', async () => {
      const { w, before, read } = await sealed([oldBox, withoutId, newBox])
      const { secrets, nextAfterId } = await read()
      expect(nextAfterId).toBe(0)
      for (const { sealed: bytes, owner } of secrets) expect(newBox.open(bytes, owner)).toBe(`of ${owner}`)
      const first = await read(2)
      expect(first.secrets).toHaveLength(2)
      const rest = await w.storage.readSealed({ afterId: first.nextAfterId, limit: 2 })
      expect([...first.secrets, ...rest.secrets].map(({ id }) => id)).toEqual(secrets.map(({ id }) => id))
      expect(secrets.every(({ id }) => id > before)).toBe(true)
    })

    test('a secret is replaced only if it is unchanged', async () => {
      const { w, read } = await sealed([oldBox, withoutId])
      const [first, second] = (await read()).secrets
      const change = ({ id, sealed: from, owner }: typeof first & object) => ({
        id,
        from,
        to: newBox.seal(newBox.open(from, owner), owner),
      })
      const changes = [change(first!), change(second!)]
      expect(await w.storage.reseal({ secrets: [changes[0]!] })).toBe(1)
      // By a node that read the same secrets, and comes later.
      expect(await w.storage.reseal({ secrets: changes })).toBe(1)
      expect(await w.storage.reseal({ secrets: changes })).toBe(0)
      const now = (await read()).secrets
      expect(now.map(({ sealed: bytes }) => newBox.isCurrent(bytes))).toEqual([true, true])
      expect(now.map(({ sealed: bytes, owner }) => newBox.open(bytes, owner))).toEqual(
        now.map(({ owner }) => `of ${owner}`),
      )
    })

    test('a secret that a customer replaces keeps its time, whichever of the two comes first', async () => {
      const { w, webhooks, read } = await sealed([oldBox])
      const { id: webhookId, workspaceId } = webhooks[0]!
      const { id, sealed: from, owner } = (await read()).secrets[0]!
      const to = newBox.seal(newBox.open(from, owner), owner)
      const rotate = w.storage.rotateSecret({
        workspaceId,
        webhookId,
        ifVersions: null,
        sealedSecret: newBox.seal('another', owner),
        overlapMs: 5_000,
        now: w.now,
      })
      await Promise.all([rotate, w.storage.reseal({ secrets: [{ id, from, to }] })])
      const [target] = await w.storage.loadTargets({ webhookIds: [webhookId], now: w.now })
      expect(target!.secrets.map((secret) => [newBox.open(secret.sealed, owner), secret.expiresAt])).toEqual([
        ['another', null],
        [`of ${owner}`, w.now + 5_000],
      ])
    })

    test('idempotency records, and links waiting to be e-mailed, are counted until they expire', async () => {
      const w = world()
      const count = async (now: number) => byId(await w.storage.countShortLived({ now })).get(newId) ?? 0
      const before = await count(w.now)
      const workspace = await w.workspace()
      await w.keyKeptForRepeats(workspace, newBox.seal('key', 'key'), w.now + 600_000)
      expect(await count(w.now)).toBe(before + 1)
      expect(await count(w.now + 600_000)).toBe(before)
    })
  })
}
