import { afterAll, beforeAll, beforeEach, describe, expect, type TestContext, test } from 'vitest'
import type { ClaimedEvent, ProcessedStore } from '../../src/dedupe.ts'
import { type OpenStore, STORES } from './stores.ts'

const LEASE_MS = 60_000
const KEEP_MS = 60_000
/** Time that passes before leases of {@link LEASE_MS} end. */
const SHORT_MS = 20_000
let keys = 0

describe.each(Object.entries(STORES))('the store in %s', (_name, openEmpty) => {
  let open: OpenStore | null
  let key = ''
  beforeAll(async () => {
    open = await openEmpty()
  })
  afterAll(() => open?.close())
  beforeEach(() => {
    keys += 1
    key = `orders:event:evt_${keys} 'quoted" ż\\`
  })

  const event = (version = 0, id = ''): ClaimedEvent => ({ key, version, event: id })
  /** @param claims tokens and the expected results of their claims, in order */
  const check = (name: string, run: (store: ProcessedStore, pass: OpenStore['pass']) => Promise<void>) =>
    test(name, async (context: TestContext) => {
      if (open === null) context.skip('redis-server is not installed, and only root can install it')
      else await run(open.store, open.pass)
    })

  check('gives a key to one of many that claim it at once', async (store) => {
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) => store.claim(event(), `token ${i}`, LEASE_MS)),
    )
    expect(results.filter((result) => result === 'claimed')).toHaveLength(1)
    expect(results.filter((result) => result === 'busy')).toHaveLength(49)
  })

  check('gives a key again once only its holder has released it', async (store) => {
    expect(await store.claim(event(), 'a', LEASE_MS)).toBe('claimed')
    await store.release(key, 'b')
    expect(await store.claim(event(), 'b', LEASE_MS)).toBe('busy')
    await store.release(key, 'a')
    expect(await store.claim(event(), 'b', LEASE_MS)).toBe('claimed')
  })

  check('remembers a handled event, if its holder says so', async (store) => {
    await store.claim(event(), 'a', LEASE_MS)
    await store.complete(event(), 'b', KEEP_MS)
    expect(await store.claim(event(), 'b', LEASE_MS)).toBe('busy')
    await store.complete(event(), 'a', KEEP_MS)
    expect(await store.claim(event(), 'a', LEASE_MS)).toBe('done')
    expect(await store.claim(event(), 'b', LEASE_MS)).toBe('done')
    await store.release(key, 'a')
    expect(await store.claim(event(), 'b', LEASE_MS)).toBe('done')
  })

  check(
    'gives a key again when the claim has expired, and its late holder changes nothing',
    async (store, pass) => {
      await store.claim(event(), 'crashed', LEASE_MS)
      expect(await store.claim(event(), 'b', LEASE_MS)).toBe('busy')
      await pass(LEASE_MS)
      expect(await store.claim(event(), 'b', LEASE_MS)).toBe('claimed')
      await store.complete(event(), 'crashed', KEEP_MS)
      await store.release(key, 'crashed')
      expect(await store.claim(event(), 'c', LEASE_MS)).toBe('busy')
      await store.complete(event(), 'b', KEEP_MS)
      expect(await store.claim(event(), 'c', LEASE_MS)).toBe('done')
    },
  )

  check('extends the claim of its holder', async (store, pass) => {
    await store.claim(event(), 'a', SHORT_MS)
    expect(await store.claim(event(), 'a', LEASE_MS)).toBe('claimed')
    await pass(SHORT_MS)
    expect(await store.claim(event(), 'b', LEASE_MS)).toBe('busy')
    await store.complete(event(), 'a', KEEP_MS)
    expect(await store.claim(event(), 'b', LEASE_MS)).toBe('done')
  })

  check('forgets a handled event once its time is over', async (store, pass) => {
    await store.claim(event(), 'a', LEASE_MS)
    await store.complete(event(), 'a', SHORT_MS)
    expect(await store.claim(event(), 'b', LEASE_MS)).toBe('done')
    await pass(SHORT_MS)
    expect(await store.claim(event(), 'b', LEASE_MS)).toBe('claimed')
  })

  check('knows older from newer, up to the largest numbers', async (store) => {
    const versions = [-5, 0, 1_767_225_600_000, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER]
    for (const version of versions) {
      expect(await store.claim(event(version, 'x'), 'a', LEASE_MS)).toBe('claimed')
      await store.complete(event(version, 'x'), 'a', KEEP_MS)
      expect(await store.claim(event(version, 'x'), 'b', LEASE_MS)).toBe('done')
      expect(await store.claim(event(version - 1, 'y'), 'b', LEASE_MS)).toBe('done')
    }
  })

  check('gives two events of the same version, one after the other', async (store) => {
    expect(await store.claim(event(7, 'x'), 'a', LEASE_MS)).toBe('claimed')
    expect(await store.claim(event(7, 'y'), 'b', LEASE_MS)).toBe('busy')
    await store.complete(event(7, 'x'), 'a', KEEP_MS)
    expect(await store.claim(event(7, 'y'), 'b', LEASE_MS)).toBe('claimed')
    await store.release(key, 'b')
    expect(await store.claim(event(7, 'x'), 'b', LEASE_MS)).toBe('done')
  })

  check('keeps a handled event while another event is claimed and released', async (store, pass) => {
    await store.claim(event(7, 'x'), 'a', LEASE_MS)
    await store.complete(event(7, 'x'), 'a', KEEP_MS)
    await store.claim(event(8, 'y'), 'b', SHORT_MS)
    await pass(SHORT_MS)
    await store.claim(event(8, 'y'), 'c', LEASE_MS)
    await store.release(key, 'c')
    expect(await store.claim(event(7, 'x'), 'd', LEASE_MS)).toBe('done')
    expect(await store.claim(event(8, 'y'), 'd', LEASE_MS)).toBe('claimed')
  })

  check('keeps keys apart', async (store) => {
    const other = { ...event(), key: `${key}2` }
    await store.claim(event(), 'a', LEASE_MS)
    expect(await store.claim(other, 'b', LEASE_MS)).toBe('claimed')
    await store.complete(event(), 'a', KEEP_MS)
    await store.complete(other, 'a', KEEP_MS)
    expect(await store.claim(other, 'c', LEASE_MS)).toBe('busy')
  })
})
