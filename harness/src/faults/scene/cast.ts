import type { Behavior } from '../../receivers/behavior.ts'
import type { ScriptedReceiver } from '../../receivers/scriptedReceiver.ts'
import { oneOf, wholeNumber } from '../../support/random.ts'
import type { DialectName } from '../../support/workspaces.ts'

/** By protocol, plus one with unreliable connections: a fault of one may affect another hook's request. */
export interface Receivers {
  readonly plain: ScriptedReceiver
  readonly secure: ScriptedReceiver
  readonly rough: ScriptedReceiver
}

/** The behavior of a webhook and its receiver. */
export interface Role {
  readonly name: string
  readonly receiver: keyof Receivers
  readonly types: 'all' | 'common' | 'rare'
  readonly behavior: (random: () => number) => Behavior
  /** Whether its receiver answers promptly once the chaos is over; the others stay as they are. */
  readonly calmsDown: boolean
  /** Whether people change it during the chaos. */
  readonly mayBeChanged: boolean
  /** Whether a 410 may disable it at any moment. */
  readonly mayBeGone?: true
}

const status = (code: number, headers: Readonly<Record<string, string>> = {}): Behavior => ({
  kind: 'status',
  status: code,
  headers,
})
const trick = (name: Extract<Behavior, { kind: 'trick' }>['trick']): Behavior => ({
  kind: 'trick',
  trick: name,
})
const prompt: Behavior = { kind: 'prompt' }

const LIES: readonly Behavior[] = [
  trick('resetAfterHead'),
  trick('shortBody'),
  trick('longBody'),
  trick('hugeBody'),
  trick('dripBody'),
  trick('interim'),
  trick('hangUp'),
  trick('garbage'),
  trick('dripHead'),
]
const REFUSALS: readonly Behavior[] = [
  status(500),
  status(404),
  status(429, { 'retry-after': '0' }),
  status(503),
  status(302, { location: 'http://127.0.0.1:1/elsewhere' }),
]

const ROLES: readonly Role[] = [
  {
    name: 'steady',
    receiver: 'secure',
    types: 'all',
    behavior: () => prompt,
    calmsDown: false,
    mayBeChanged: false,
  },
  {
    name: 'flaky',
    receiver: 'rough',
    types: 'common',
    behavior: () => ({ kind: 'flaky' }),
    calmsDown: false,
    mayBeChanged: false,
  },
  {
    name: 'slow',
    receiver: 'plain',
    types: 'rare',
    behavior: (random) => ({ kind: 'slow', delayMs: wholeNumber(random, 50, 250) }),
    calmsDown: false,
    mayBeChanged: true,
  },
  {
    name: 'lying',
    receiver: 'rough',
    types: 'common',
    behavior: (random) => ({ kind: 'moody', moods: [prompt, oneOf(random, LIES), oneOf(random, LIES)] }),
    calmsDown: true,
    mayBeChanged: true,
  },
  {
    name: 'hanging',
    receiver: 'plain',
    types: 'common',
    behavior: () => trick('silence'),
    calmsDown: true,
    mayBeChanged: true,
  },
  {
    name: 'refusing',
    receiver: 'plain',
    types: 'rare',
    behavior: (random) => oneOf(random, REFUSALS),
    calmsDown: false,
    mayBeChanged: true,
  },
  {
    name: 'pawn',
    receiver: 'secure',
    types: 'common',
    behavior: () => prompt,
    calmsDown: false,
    mayBeChanged: true,
  },
]

const GONE: Role = {
  name: 'gone',
  receiver: 'plain',
  types: 'common',
  behavior: () => ({ kind: 'moody', moods: [...Array.from({ length: 9 }, () => prompt), status(410)] }),
  calmsDown: false,
  mayBeChanged: false,
  mayBeGone: true,
}

/** The webhooks of a workspace when the chaos begins; only one of the services supports 410. */
export const CAST: Readonly<Record<DialectName, readonly Role[]>> = { content: [...ROLES, GONE], ads: ROLES }

/** A webhook created during the chaos. */
export const NEWCOMER: Role = {
  name: 'newcomer',
  receiver: 'plain',
  types: 'all',
  behavior: () => prompt,
  calmsDown: false,
  mayBeChanged: true,
}
