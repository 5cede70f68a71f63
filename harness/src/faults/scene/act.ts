import { oneOf } from '../../support/random.ts'
import type { DialectName } from '../../support/workspaces.ts'
import type { Account } from './account.ts'
import type { HookUnderTest } from './hook.ts'

/** An action of people on webhooks and deliveries while events flow. */
export interface Act {
  readonly name: string
  readonly weight: number
  readonly dialects: readonly DialectName[]
  /** Performs it, if there is a suitable target. */
  readonly perform: (account: Account, random: () => number) => Promise<void>
}

/** One of the webhooks that people may change, if there is one. */
export function anyHook(
  { hooks }: Account,
  random: () => number,
  fits: (hook: HookUnderTest) => boolean,
): HookUnderTest | undefined {
  return oneOf(
    random,
    hooks.filter((hook) => hook.mayBeChanged && fits(hook)),
  )
}
