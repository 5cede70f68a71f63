import type { Behavior } from '../../receivers/behavior.ts'
import { Api } from '../../support/http.ts'
import { eventually } from '../../support/waiting.ts'
import { prepareLoad } from '../load/prepareLoad.ts'
import type { Stage } from '../stage/stage.ts'
import { fill } from './fill.ts'
import type { MeasuringReceiver } from './fixedRate.ts'

/** `waiting`: each was rejected once and is due in a day. `due`: their receiver never answers. */
export const BACKLOGS = ['empty', 'waiting', 'due'] as const
export type BacklogKind = (typeof BACKLOGS)[number]

/** The webhooks that the backlog is for. */
const BLOCKED = 'blocked'
/** One more webhook, with a single due delivery. */
export const PROBE = 'probe'

const HANGS: Behavior = { kind: 'trick', trick: 'silence' }
const REFUSES: Behavior = { kind: 'status', status: 503 }
/**
 * Longer than any run, and the longest that the service waits. After 503 it would also send more slowly, and
 * building the backlog would take minutes.
 */
const REFUSES_FOR_A_DAY: Behavior = { kind: 'status', status: 500, headers: { 'retry-after': '86400' } }
const REFUSED_WITHIN_MS = 60_000

interface BacklogOptions {
  readonly kind: BacklogKind
  /** Deliveries of the backlog. */
  readonly pending: number
  /** Webhooks that share it. */
  readonly blocked: number
  readonly receiver: MeasuringReceiver
  readonly origin: string
}

/**
 * Creates a backlog on a stage and stops its service. The receiver keeps rejecting it, except the probe.
 * @returns when the probe is due, Unix ms
 */
export async function makeBacklog(stage: Stage, options: BacklogOptions): Promise<number> {
  const { kind, pending, blocked, receiver, origin } = options
  const behave = (group: string, behavior: Behavior) =>
    receiver.ask({ kind: 'behave', group, behavior }, 'done')
  const service = await stage.startService()
  const { url } = service
  await behave(BLOCKED, kind === 'waiting' ? REFUSES_FOR_A_DAY : HANGS)
  if (kind !== 'empty') {
    const group = { webhooks: blocked, receiverOrigin: origin, group: BLOCKED }
    const hooks = await prepareLoad(() => url, group)
    await fill(stage, { url, hooks, events: pending, receiver: kind === 'waiting' ? receiver : null })
  }
  await behave(PROBE, REFUSES)
  const dueAt = await publishProbe(url, origin)
  await service.stop()
  await behave(PROBE, { kind: 'prompt' })
  return dueAt
}

interface Deliveries {
  readonly data: readonly { readonly attempts: readonly object[]; readonly next_attempt_at: string | null }[]
}

/** Publishes one event and waits until it was rejected. @returns when it is retried, Unix ms */
async function publishProbe(url: string, origin: string): Promise<number> {
  const [hook] = await prepareLoad(() => url, { webhooks: 1, receiverOrigin: origin, group: PROBE })
  const { key: token, publishPath, webhookPath, event } = hook!
  const api = new Api(() => url)
  await api.post(publishPath, { token, body: event })
  const refused = async () => {
    const { data } = await api.get<Deliveries>(`${webhookPath}/deliveries`, { token })
    const { attempts = [], next_attempt_at = null } = data[0] ?? {}
    return attempts.length === 0 || next_attempt_at === null ? null : Date.parse(next_attempt_at)
  }
  return eventually(refused, { withinMs: REFUSED_WITHIN_MS, everyMs: 50, what: 'first attempt of the probe' })
}
