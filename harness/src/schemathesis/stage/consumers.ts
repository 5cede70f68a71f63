import type { Values } from './documentStage.ts'

/** For consumers: nothing is published in the meantime, and a request could wait ten seconds. */
export const SHORT_WAIT = { wait: '1' }

/** The permanent one, and the one that is deleted. */
export const CONSUMERS = ['kept', 'gone'] as const

/** Path parameters of the operations on consumers. */
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
 * A consumer starts or moves to one position, and acknowledges its events.
 * @param base of the paths
 */
export const consumerBodies = (base: string, ack: string | undefined): Readonly<Record<string, object>> => ({
  [`POST ${base}/consumers`]: { name: 'made', start: 'now' },
  [`POST ${base}/consumers/{name}/seek`]: { start: 'now' },
  [`POST ${base}/consumers/{name}/ack`]: { ack },
})
