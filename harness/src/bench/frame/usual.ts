import type { Flag, Scenario } from './scenario.ts'

/** The defaults of most scenarios; others declare their own. */
export const USUAL = {
  stores: ['sqlite', 'postgres'],
  tls: true,
  seconds: { usual: 20, quick: 5 },
} as const satisfies Pick<Scenario, 'stores' | 'tls' | 'seconds'>

export const WEBHOOKS = {
  kind: 'count',
  help: 'webhooks that share the load',
  usual: 50,
} as const satisfies Flag
