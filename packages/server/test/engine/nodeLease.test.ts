import { describe, expect, test, vi } from 'vitest'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { NodeLease } from '../../src/engine/maintenance/nodeLease.ts'
import {
  type RegisteredNode,
  type NodeLease as StoredLease,
  StoreOpenError,
} from '../../src/storage/storage.ts'
import { ManualClock } from '../support/manualClock.ts'
import { away, openCalls, recordedLog, settled, storageOf } from './fakes.ts'

function setUp() {
  const clock = new ManualClock()
  const log = recordedLog()
  const warned = vi.spyOn(log, 'warn')
  const registrations = openCalls<{ leaseMs: number; masterKeys?: readonly string[] }, StoredLease>()
  const renewals = openCalls<{ nodeId: number; leaseMs: number }, boolean>()
  const retirements = openCalls<{ nodeId: number }, void>()
  const heard: string[] = []
  const others: RegisteredNode[] = []
  const lease: NodeLease = new NodeLease({
    storage: storageOf({
      registerNode: registrations.call,
      renewNode: renewals.call,
      retireNode: retirements.call,
      listNodes: async () => others,
    }),
    keys: { keyIds: ['new', 'old'], writesKeyIds: true },
    clock,
    log,
    failureLog: new FailureLog(clock, log),
    leaseMs: 30_000,
    onValidAgain: () => heard.push(`valid for ${lease.nodeId}`),
    onLost: () => heard.push('lost'),
    onRefused: ({ message }) => heard.push(message),
  })
  const advance = async (ms: number) => {
    clock.advance(ms)
    await settled()
  }
  const started = async () => {
    const start = lease.start()
    registrations.calls[0]!.resolve({ nodeId: 1 })
    await start
    await advance(0)
    renewals.calls[0]!.resolve(true)
    await settled()
  }
  return { clock, log, warned, registrations, renewals, retirements, others, heard, lease, advance, started }
}

describe('the lease of a node', () => {
  test('is not valid before the store has given it', async () => {
    const { lease, registrations } = setUp()
    const start = lease.start()
    expect(lease.valid).toBe(false)
    registrations.calls[0]!.resolve({ nodeId: 1 })
    await start
    expect([lease.valid, lease.nodeId]).toEqual([true, 1])
  })

  test('is renewed every 10 seconds and valid for 30 from the request, however late the answer', async () => {
    const { lease, renewals, advance, started } = setUp()
    await started()
    await advance(10_000)
    expect(renewals.calls).toHaveLength(2)
    await advance(15_000)
    renewals.calls[1]!.resolve(true)
    await settled()
    await advance(14_999)
    expect(lease.valid).toBe(true)
    await advance(1)
    expect(lease.valid).toBe(false)
  })

  test('expires while the store is away, and is valid again after the first renewal', async () => {
    const { lease, renewals, heard, advance, started } = setUp()
    await started()
    for (let round = 1; round <= 3; round++) {
      await advance(10_000)
      renewals.calls[round]!.reject(away())
      await settled()
    }
    expect(lease.valid).toBe(false)
    heard.length = 0
    await advance(10_000)
    renewals.calls[4]!.resolve(true)
    await settled()
    expect([lease.valid, heard]).toEqual([true, ['valid for 1']])
  })
})

describe('a lease that was lost', () => {
  async function losing() {
    const all = setUp()
    await all.started()
    all.heard.length = 0
    await all.advance(10_000)
    all.renewals.calls[1]!.resolve(false)
    await settled()
    return all
  }

  test('is no longer valid from the moment the store says so', async () => {
    const { lease, heard } = await losing()
    expect([lease.valid, heard]).toEqual([false, []])
  })

  test('drops all deliveries in memory under the new node before anything is sent', async () => {
    const { lease, heard, registrations } = await losing()
    registrations.calls[1]!.resolve({ nodeId: 2 })
    await settled()
    expect([lease.valid, lease.nodeId, heard]).toEqual([true, 2, ['lost']])
  })

  test('is reported with both numbers of the node, or with the old one while there is no new one', async () => {
    const { warned, registrations, renewals, advance } = await losing()
    registrations.calls[1]!.reject(away())
    await settled()
    const ranOut = 'the lease of this node expired;'
    expect(warned.mock.calls).toEqual([[{ node: 1 }, `${ranOut} it could not get a new lease yet`]])
    await advance(10_000)
    renewals.calls[2]!.resolve(false)
    await settled()
    registrations.calls[2]!.resolve({ nodeId: 2 })
    await settled()
    expect(warned.mock.calls[1]).toEqual([
      { node: 1, new_node: 2 },
      `${ranOut} it continues with a new lease`,
    ])
  })

  test('stays lost while the store does not register the node again', async () => {
    const { lease, heard, registrations, renewals, advance } = await losing()
    registrations.calls[1]!.reject(away())
    await settled()
    await advance(10_000)
    renewals.calls[2]!.resolve(false)
    await settled()
    expect([lease.valid, heard]).toEqual([false, []])
    registrations.calls[2]!.resolve({ nodeId: 2 })
    await settled()
    expect(heard).toEqual(['lost', 'valid for 2'])
  })
})

test('a lease in a store that a newer program has changed ends at once, and deliveries in memory are dropped', async () => {
  const { lease, renewals, heard, advance, started } = setUp()
  await started()
  heard.length = 0
  await advance(10_000)
  renewals.calls[1]!.reject(new StoreOpenError('made by a newer one'))
  await settled()
  expect([lease.valid, heard]).toEqual([false, ['lost', 'made by a newer one']])
})

describe('next to a node that does not have its master key', () => {
  const other = { id: 9, startedAt: 0, leaseUntil: 1, alive: true, masterKeys: ['old'], version: null }
  const refusal = /^POSTHORN_MASTER_KEY: node 9 does not have the key new\. Add it after /

  test('a node does not start, and is unregistered', async () => {
    const { lease, registrations, retirements, others } = setUp()
    others.push(other)
    const start = expect(lease.start()).rejects.toThrow(refusal)
    registrations.calls[0]!.resolve({ nodeId: 1 })
    await settled()
    expect([lease.valid, retirements.calls[0]!.params]).toEqual([false, { nodeId: 1 }])
    retirements.calls[0]!.resolve()
    await start
  })

  test('a node that lost its lease in the meantime gets no new one, and stops', async () => {
    const { lease, registrations, renewals, retirements, others, heard, started, advance } = setUp()
    await started()
    heard.length = 0
    others.push(other)
    await advance(10_000)
    renewals.calls[1]!.resolve(false)
    await settled()
    registrations.calls[1]!.resolve({ nodeId: 2 })
    await settled()
    retirements.calls[0]!.resolve()
    await settled()
    expect([lease.valid, heard]).toEqual([false, ['lost', expect.stringMatching(refusal)]])
  })
})

describe('stop', () => {
  test('releases everything and stops renewing', async () => {
    const { clock, lease, retirements, started } = setUp()
    await started()
    const stopping = lease.stop()
    await settled()
    expect([lease.valid, retirements.calls[0]!.params]).toEqual([false, { nodeId: 1 }])
    retirements.calls[0]!.resolve()
    await stopping
    expect(clock.pending).toBe(0)
  })

  test('succeeds when the store is away: the lease expires', async () => {
    const { lease, retirements, log, started } = setUp()
    await started()
    const stopping = lease.stop()
    await settled()
    retirements.calls[0]!.reject(away())
    await stopping
    expect(log.lines.map(({ level }) => level)).toEqual(['warn'])
  })
})
