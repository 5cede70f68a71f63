import type { Values } from './documentStage.ts'

/** Of consumers: nothing is published meanwhile, and a request may take ten seconds. */
export const SHORT_WAIT = { wait: '1' }

/** The one that lasts, and the one that is deleted. */
export const CONSUMERS = ['kept', 'gone'] as const

/** What the operations on consumers name. */
export function consumerParams(title: string, workspace: Values): Readonly<Record<string, Values>> {
  const [kept, gone] = CONSUMERS.map((name) => ({ ...workspace, name }))
  return {
    [`get${title}Consumer`]: kept!,
    [`read${title}Consumer`]: kept!,
    [`acknowledge${title}Events`]: kept!,
    [`stream${title}Consumer`]: kept!,
    [`seek${title}Consumer`]: kept!,
    [`delete${title}Consumer`]: gone!,
  }
}

/**
 * A consumer begins or goes on at one place, and acknowledges what it was given.
 * @param base of the paths
 */
export const consumerBodies = (base: string, ack: string | undefined): Readonly<Record<string, object>> => ({
  [`POST ${base}/consumers`]: { name: 'made', start: 'now' },
  [`POST ${base}/consumers/{name}/seek`]: { start: 'now' },
  [`POST ${base}/consumers/{name}/ack`]: { ack },
})
