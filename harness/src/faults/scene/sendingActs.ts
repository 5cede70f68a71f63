import { oneOf } from '../../support/random.ts'
import type { ManualSend } from '../evidence.ts'
import type { Account } from './account.ts'
import { type Act, anyHook } from './act.ts'
import type { HookUnderTest } from './hook.ts'

const isOn = (hook: HookUnderTest) => hook.states.last.status === 'on'

/** Records an accepted send. */
async function send(
  account: Account,
  hook: HookUnderTest,
  kind: ManualSend['kind'],
  path: string,
): Promise<void> {
  const { answer, begin } = await account.settle('POST', path)
  // The limit of tests and redeliveries is reached, or the delivery or webhook has changed its state.
  if (answer.status === 429 || answer.status === 409) return
  if (answer.status !== 202) return account.surprise('POST', path, answer)
  const { id, event_id: eventId } = answer.body as { readonly id: string; readonly event_id?: string }
  const isTest = kind === 'test'
  account.sends.push({ kind, hook: hook.name, begin, delivery: id, eventId: isTest ? eventId! : null })
}

/** Manual sends by people. */
export const SENDING_ACTS: readonly Act[] = [
  {
    name: 'test',
    weight: 1,
    dialects: ['content'],
    async perform(account, random) {
      const hook = anyHook(account, random, isOn)
      if (hook !== undefined) await send(account, hook, 'test', `${account.pathOf(hook)}/test`)
    },
  },
  {
    name: 'send again',
    weight: 3,
    dialects: ['content', 'ads'],
    async perform(account, random) {
      const hook = oneOf(random, account.hooks.filter(isOn))
      if (hook === undefined) return
      const { exhausted, resendPath } = account.wording
      // The content service resends any finished delivery, ads only dead ones.
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
    dialects: ['ads'],
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
