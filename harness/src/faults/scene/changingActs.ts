import { setTimeout as sleep } from 'node:timers/promises'
import { oneOf, wholeNumber } from '../../support/random.ts'
import type { DialectName } from '../../support/workspaces.ts'
import { isOk } from '../api/caller.ts'
import { type Act, anyHook } from './act.ts'
import { NEWCOMER } from './cast.ts'

const BOTH: readonly DialectName[] = ['content', 'ads']
const CONTENT: readonly DialectName[] = ['content']

/** The services allow 20; some room is left for those that are deleted late. */
const MAX_HOOKS = 14
const SUSPENDED_MS = { min: 50, max: 500 }

const transitions: readonly [name: string, from: string, members: object, to: 'on' | 'off' | 'paused'][] = [
  ['disable', 'on', { enabled: false }, 'off'],
  ['enable', 'off', { enabled: true }, 'on'],
  ['pause', 'on', { paused: true }, 'paused'],
  ['end the pause', 'paused', { paused: false }, 'on'],
]

const transitionActs = transitions.map(
  ([name, from, members, to]): Act => ({
    name,
    weight: 3,
    dialects: CONTENT,
    async perform(account, random) {
      const hook = anyHook(account, random, ({ states }) => states.last.status === from)
      if (hook !== undefined) await account.patch(hook, members, { status: to })
    },
  }),
)

/** Changes that people make to webhooks and workspaces. */
export const CHANGING_ACTS: readonly Act[] = [
  ...transitionActs,
  {
    name: 'change the URL',
    weight: 2,
    dialects: BOTH,
    async perform(account, random) {
      const hook = anyHook(account, random, () => true)
      if (hook === undefined) return
      const path = `${hook.path}/${wholeNumber(random, 1, 1_000_000)}`
      await account.patch(hook, { url: hook.receiver.urlOf(path) }, { path })
    },
  },
  {
    name: 'change the filter',
    weight: 2,
    dialects: BOTH,
    async perform(account, random) {
      const hook = anyHook(account, random, () => true)
      if (hook === undefined) return
      const types = account.typesOf(oneOf(random, ['all', 'common', 'rare'] as const))
      await account.patch(hook, { [account.wording.typesMember]: types }, { types })
    },
  },
  {
    name: 'rotate the secret',
    weight: 2,
    dialects: BOTH,
    async perform(account, random) {
      const hook = anyHook(account, random, () => true)
      if (hook === undefined) return
      const path = `${account.pathOf(hook)}/rotate-secret`
      const { answer, begin, end } = await account.settle('POST', path)
      if (!isOk(answer)) return account.surprise('POST', path, answer)
      const { [account.wording.secretMember]: secret } = answer.body as Readonly<Record<string, string>>
      await hook.receiver.addSecret(hook.path, secret!)
      hook.secrets.push({ begin, end })
      hook.etag = answer.etag ?? ''
    },
  },
  {
    name: 'create',
    weight: 1,
    dialects: BOTH,
    async perform(account, random) {
      if (account.hooks.filter(({ isDeleted }) => !isDeleted).length >= MAX_HOOKS) return
      await account.createHook(NEWCOMER, random)
    },
  },
  {
    name: 'delete',
    weight: 1,
    dialects: BOTH,
    async perform(account, random) {
      const hook = anyHook(account, random, ({ role }) => role === NEWCOMER)
      if (hook === undefined) return
      const path = account.pathOf(hook)
      const { answer, begin, end } = await account.settle('DELETE', path)
      // An earlier try may have succeeded.
      if (answer.status !== 204 && answer.status !== 404) return account.surprise('DELETE', path, answer)
      hook.states.become({ ...hook.states.last, status: 'deleted' }, begin, end)
    },
  },
  {
    name: 'suspend and resume the workspace',
    weight: 0.5,
    dialects: BOTH,
    async perform(account, random) {
      await account.suspend(true)
      await sleep(wholeNumber(random, SUSPENDED_MS.min, SUSPENDED_MS.max))
      await account.suspend(false)
    },
  },
  {
    name: 'enable what a 410 disabled',
    weight: 2,
    dialects: CONTENT,
    async perform(account) {
      const hook = account.hooks.find(({ role }) => role.mayBeGone)
      if (hook === undefined) return
      const before = Date.now()
      const { status } = await account.read(hook)
      if (status !== 'off') return
      hook.states.become({ ...hook.states.last, status: 'off' }, before, Date.now())
      await account.patch(hook, { enabled: true }, { status: 'on' })
      // Another 410 may have been in flight, or may still arrive.
      hook.states.mayBecome({ ...hook.states.last, status: 'off' }, before)
    },
  },
]
