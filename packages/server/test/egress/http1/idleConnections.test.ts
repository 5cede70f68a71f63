import { describe, expect, test } from 'vitest'
import {
  IdleConnections,
  IdleEntry,
  type IdleLimits,
} from '../../../src/engine/egress/http1/idleConnections.ts'

const GATEWAY = 'https://gateway.example.com'

/** Connections by name, and the closed ones. */
function keeping(limits: Partial<IdleLimits>) {
  const idle = new IdleConnections(limits)
  const closed: string[] = []
  const entries = new Map<string, IdleEntry>()
  const add = (name: string, { workspace = 1, origin = `https://${name}.example.com` } = {}) => {
    const entry = entries.get(name) ?? new IdleEntry({ destroy: () => void closed.push(name) })
    entries.set(name, entry)
    idle.add(entry, workspace, origin)
  }
  return { idle, closed, add, remove: (name: string) => entries.get(name)!.remove() }
}

describe('beyond a limit the least recently used connection is closed:', () => {
  test('of the node', () => {
    const { idle, closed, add } = keeping({ node: 3 })
    for (const [at, name] of ['a', 'b', 'c', 'd', 'e'].entries()) add(name, { workspace: at })
    expect([closed, idle.size]).toEqual([['a', 'b'], 3])
  })

  test('of the workspace, and no other is closed', () => {
    const { idle, closed, add } = keeping({ perWorkspace: 2 })
    add('other', { workspace: 2 })
    for (const name of ['a', 'b', 'c', 'd']) add(name)
    expect([closed, idle.size]).toEqual([['a', 'b'], 3])
  })

  test('of the origin, whatever workspace it belongs to', () => {
    const { idle, closed, add } = keeping({ perOrigin: 2 })
    add('other')
    for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) add(name, { workspace: at, origin: GATEWAY })
    expect([closed, idle.size]).toEqual([['a', 'b'], 3])
  })

  test('over two limits, only as many as needed', () => {
    const { idle, closed, add } = keeping({ node: 2, perWorkspace: 2, perOrigin: 2 })
    for (const name of ['a', 'b', 'c']) add(name, { origin: GATEWAY })
    expect([closed, idle.size]).toEqual([['a'], 2])
  })
})

test('a connection in use is not idle, and afterwards the most recently used', () => {
  const { idle, closed, add, remove } = keeping({ node: 2 })
  add('a')
  add('b')
  remove('a')
  remove('a')
  expect(idle.size).toBe(1)
  add('a')
  add('c')
  expect([closed, idle.size]).toEqual([['b'], 2])
})

test('all can be closed', () => {
  const { idle, closed, add } = keeping({})
  for (const name of ['a', 'b', 'c']) add(name)
  idle.closeAll()
  expect([closed, idle.size]).toEqual([['a', 'b', 'c'], 0])
})

test('empty workspaces and origins are forgotten in time, and limits still apply', () => {
  const { idle, closed, add, remove } = keeping({ node: 3, perWorkspace: 2 })
  for (let workspace = 1; workspace <= 100; workspace++) {
    add('passing', { workspace, origin: `https://${workspace}.example.com` })
    remove('passing')
  }
  expect(idle.lists).toBeLessThan(20)
  for (const name of ['a', 'b', 'c']) add(name, { workspace: 50 })
  expect(closed).toEqual(['a'])
})
