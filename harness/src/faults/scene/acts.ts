import { setTimeout as sleep } from 'node:timers/promises'
import { oneOf, wholeNumber } from '../../support/random.ts'
import type { DialectName } from '../../support/workspaces.ts'
import { isOk } from '../api/caller.ts'
import type { ManualSend } from '../evidence.ts'
import type { Account } from './account.ts'
import { NEWCOMER } from './cast.ts'
import type { HookUnderTest } from './hook.ts'

/** Something that people do to webhooks and deliveries while events flow. */
export interface Act {
  readonly name: string
  readonly weight: number
  readonly dialects: readonly DialectName[]
  /** Does it, if there is anything to do it to. */
  readonly perform: (account: Account, random: () => number) => Promise<void>
}

const BOTH: readonly DialectName[] = ['content', 'ads']
const CONTENT: readonly DialectName[] = ['content']
const ADS: readonly DialectName[] = ['ads']

/** The services allow 20; some room is left for those that are deleted late. */
const MAX_HOOKS = 14
const SUSPENDED_MS = { min: 50, max: 500 }

const isOn = (hook: HookUnderTest) => hook.states.last.status === 'on'

function anyHook(
  { hooks }: Account,
  random: () => number,
  fits: (hook: HookUnderTest) => boolean,
): HookUnderTest | undefined {
  return oneOf(
    random,
    hooks.filter((hook) => hook.mayBeChanged && fits(hook)),
  )
}

const switches: readonly [name: string, from: string, members: object, to: 'on' | 'off' | 'paused'][] = [
  ['switch off', 'on', { enabled: false }, 'off'],
  ['switch on', 'off', { enabled: true }, 'on'],
  ['pause', 'on', { paused: true }, 'paused'],
  ['end the pause', 'paused', { paused: false }, 'on'],
]

const switching = switches.map(
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

const changing: readonly Act[] = [
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
      // An earlier try of ours may have got through.
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
    name: 'switch on what a 410 switched off',
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
      // Another 410 may have been under way, or is yet to come.
      hook.states.mayBecome({ ...hook.states.last, status: 'off' }, before)
    },
  },
]

/** Notes a send that was accepted. */
async function send(
  account: Account,
  hook: HookUnderTest,
  kind: ManualSend['kind'],
  path: string,
): Promise<void> {
  const { answer, begin } = await account.settle('POST', path)
  // The limit of tests and redeliveries is reached, or the delivery or webhook is in another state by now.
  if (answer.status === 429 || answer.status === 409) return
  if (answer.status !== 202) return account.surprise('POST', path, answer)
  const { id, event_id: eventId } = answer.body as { readonly id: string; readonly event_id?: string }
  const isTest = kind === 'test'
  account.sends.push({ kind, hook: hook.name, begin, delivery: id, eventId: isTest ? eventId! : null })
}

const sending: readonly Act[] = [
  {
    name: 'test',
    weight: 1,
    dialects: CONTENT,
    async perform(account, random) {
      const hook = anyHook(account, random, isOn)
      if (hook !== undefined) await send(account, hook, 'test', `${account.pathOf(hook)}/test`)
    },
  },
  {
    name: 'send again',
    weight: 3,
    dialects: BOTH,
    async perform(account, random) {
      const hook = oneOf(random, account.hooks.filter(isOn))
      if (hook === undefined) return
      const { exhausted, resendPath } = account.wording
      // Content sends anything again that is finished, ads what is dead.
      const statuses = account.dialect === 'content' ? [exhausted, 'delivered', 'canceled'] : [exhausted]
      const found = await account.log(hook, `&status=${oneOf(random, statuses)}`, 1)
      const delivery = oneOf(random, found)
      if (delivery === undefined) return
      const kind = account.dialect === 'content' ? 'redeliver' : 'replay'
      await send(account, hook, kind, resendPath(account.id, hook.id, delivery.id))
    },
  },
  {
    name: 'replay everything that is dead',
    weight: 1,
    dialects: ADS,
    async perform(account) {
      const path = '/api/v1/webhook-deliveries/replay'
      const { answer, begin } = await account.settle('POST', path, { body: {} })
      if (answer.status !== 202) return account.surprise('POST', path, answer)
      account.replays.push((answer.body as { readonly id: string }).id)
      for (const { name } of account.hooks)
        account.sends.push({ kind: 'bulk replay', hook: name, begin, delivery: null, eventId: null })
    },
  },
]

export const ACTS: readonly Act[] = [...switching, ...changing, ...sending]
