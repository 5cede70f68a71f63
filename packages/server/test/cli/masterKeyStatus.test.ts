import { expect, test } from 'vitest'
import { describeMasterKeys } from '../../src/cli/remote/masterKeyCommands.ts'

const [OLD, NEW] = ['3f2a9c01d4e5b677', 'd9b1f9a5f0d2c3e4']
const key = (id: string, current: boolean, secrets: number, shortLived: number, removable: boolean) => ({
  id,
  current,
  signing_secrets: secrets,
  short_lived: shortLived,
  removable,
})
const node = (id: number, ...keys: string[]) => ({ id, master_keys: keys })

/** Its last line. */
const advice = (keys: Parameters<typeof describeMasterKeys>[0]) => describeMasterKeys(keys).split('\n').at(-1)

test('the status of the master keys shows a table, the nodes, and what to do', () => {
  const data = [key(NEW, true, 812, 0, false), key(OLD, false, 392, 1, false)]
  expect(describeMasterKeys({ data, nodes: [node(7, NEW, OLD), node(8, NEW, OLD)] })).toBe(`\
KEY               SIGNING SECRETS  SHORT-LIVED
${NEW}              812            0
${OLD}              392            1

Node 7 encrypts with ${NEW} and also decrypts with ${OLD}.
Node 8 encrypts with ${NEW} and also decrypts with ${OLD}.

392 signing secrets are being re-encrypted with the current key. Keep ${OLD} in POSTHORN_MASTER_KEY.`)
})

test.each<[string, Parameters<typeof describeMasterKeys>[0], RegExp]>([
  ['one key', { data: [key(OLD, true, 5, 0, false)], nodes: [node(1, OLD)] }, /^There is one master key\.$/],
  [
    'the nodes differ',
    {
      data: [key(NEW, true, 0, 0, false), key(OLD, false, 5, 0, false)],
      nodes: [node(1, NEW, OLD), node(2, OLD, NEW)],
    },
    /^The nodes encrypt with different keys\. Put the new key first/,
  ],
  [
    'the new key is on all nodes',
    { data: [key(OLD, true, 5, 0, false), key(NEW, false, 0, 0, true)], nodes: [node(1, OLD, NEW)] },
    /^Nothing is encrypted with d9b1f9a5f0d2c3e4\. If it is the next key, put it first on all nodes\./,
  ],
  [
    'the new key is on some nodes',
    {
      data: [key(OLD, true, 5, 0, false), key(NEW, false, 0, 0, true)],
      nodes: [node(1, OLD, NEW), node(2, OLD)],
    },
    /If it is the next key, add it to node 2, and then put it first on all nodes\./,
  ],
  [
    'the former key is needed no more',
    { data: [key(NEW, true, 5, 0, false), key(OLD, false, 0, 0, true)], nodes: [node(1, NEW, OLD)] },
    /^Nothing is encrypted with 3f2a9c01d4e5b677\. .* If it is an earlier one, remove it; cursors /,
  ],
  [
    'only short-lived secrets are left',
    { data: [key(NEW, true, 5, 0, false), key(OLD, false, 0, 2, false)], nodes: [node(1, NEW, OLD)] },
    /^The rotation is almost complete\. Keep 3f2a9c01d4e5b677 /,
  ],
])('and says what to do when %s', (_, keys, message) => {
  expect(advice(keys)).toMatch(message)
})
