import { expect, test } from 'vitest'
import { type KeyRing, keyConflict, type NodeWithKeys } from '../../src/core/masterKeys.ts'

const node = (masterKeys: NodeWithKeys['masterKeys'], more: Partial<NodeWithKeys> = {}): NodeWithKeys => ({
  id: 2,
  alive: true,
  masterKeys,
  ...more,
})

const ring = (...keyIds: string[]): KeyRing => ({ keyIds, writesKeyIds: keyIds.length > 1 })

test.each<[what: string, mine: KeyRing, others: NodeWithKeys[]]>([
  ['alone', ring('a'), []],
  ['the same key', ring('a'), [node(['a'])]],
  ['the new key is added', ring('a', 'b'), [node(['a'])]],
  ['the new key comes first where all have it', ring('b', 'a'), [node(['a', 'b'])]],
  ['the old key is removed', ring('b'), [node(['b', 'a'])]],
  ['an earlier release, and one key', ring('a'), [node(null)]],
  ['of a node that is gone nothing is asked', ring('b', 'a'), [node(['a'], { alive: false })]],
  ['of itself neither', ring('b', 'a'), [node(['a'], { id: 1 })]],
])('a node may work next to the others: %s', (_, mine, others) => {
  expect(keyConflict(mine, others, 1)).toBeNull()
})

test.each<[what: string, mine: KeyRing, others: NodeWithKeys[], message: RegExp]>([
  ['another lacks its current key', ring('b', 'a'), [node(['a'])], /node 2 does not have the key b\. Add it/],
  [
    'it lacks the current key of another',
    ring('a', 'c'),
    [node(['b', 'a'])],
    /node 2 encrypts with the key b,/,
  ],
  ['they share none', ring('a'), [node(['b'])], /node 2 does not have the key a/],
  ['an earlier release cannot read ids', ring('a', 'b'), [node(null)], /node 2 runs an earlier release/],
  [
    'nor where ids were written before',
    { keyIds: ['a'], writesKeyIds: true },
    [node(null)],
    /node 2 runs an earlier release/,
  ],
])('a node may not: %s', (_, mine, others, message) => {
  expect(keyConflict(mine, others, 1)).toMatch(message)
  expect(keyConflict(mine, others, null)).toMatch(/^POSTHORN_MASTER_KEY: [^\n]+$/)
})
