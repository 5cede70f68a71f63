import { beforeEach, expect, test } from 'vitest'
import type { Workspace } from '../../../src/storage/rows.ts'
import { eachOnTwoNodes, store, w } from './eachOnTwoNodes.ts'

eachOnTwoNodes()

const ANA = 'ana@example.com'

/**
 * Its holder blocks the commit of every transaction that removes people, when everything else in it is done.
 */
const GATE = 'pg_advisory_xact_lock(hashtext(current_schema()))'

beforeEach(async () => {
  await store.values(
    `CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM ${GATE}; RETURN NULL; END $$`,
  )
  for (const event of ['DELETE ON members', 'DELETE ON operators', 'UPDATE ON workspaces'])
    await store.values(`
      CREATE CONSTRAINT TRIGGER gate AFTER ${event} DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION gate()`)
})

/** Two workspaces with a member of one email address, which is signed in, and has an open link. */
async function signedIn(): Promise<readonly [Workspace, Workspace]> {
  const workspaces = [await w.workspace(), await w.workspace()] as const
  for (const one of workspaces) await w.member(one, ANA)
  await w.link(ANA, 'used')
  await w.signIn('used')
  await w.link(ANA, 'open')
  return workspaces
}

const leave =
  (at: 0 | 1, { id: workspaceId }: Workspace) =>
  async () => {
    const [member] = await store.nodes[at].listMembers({ workspaceId, limit: 1, before: null })
    return store.nodes[at].deleteMember({ workspaceId, publicId: member!.publicId, now: w.now })
  }

const remove =
  (at: 0 | 1, { id: workspaceId }: Workspace) =>
  () =>
    store.nodes[at].deleteWorkspace({ workspaceId, now: w.now })

async function expectNothingLeft(): Promise<void> {
  expect(await store.values('SELECT email FROM browser_sessions')).toEqual([])
  expect(await store.values('SELECT id FROM sign_in_links WHERE used_at IS NULL')).toEqual([])
}

test.each([
  ['left', leave, leave],
  ['left and deleted', leave, remove],
  ['deleted', remove, remove],
])('whose last two workspaces are %s at the same moment is signed out', async (_, first, second) => {
  const [left, right] = await signedIn()
  await store.inLine(`SELECT ${GATE}`, [first(0, left), second(1, right)])
  await expectNothingLeft()
})

test('who signs in again while an operator of the email address is removed is signed out with its last member', async () => {
  const { publicId } = await w.operator(ANA)
  const workspace = await w.workspace()
  await w.member(workspace, ANA)
  await store.inLine(`SELECT ${GATE}`, [
    () => store.nodes[0].deleteOperator({ publicId, now: w.now }),
    async () => {
      await w.link(ANA, 'late')
      await w.signIn('late')
      return leave(1, workspace)()
    },
  ])
  await expectNothingLeft()
})
