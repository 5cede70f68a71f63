import type { ChangeResult, ChangeVerb } from './storage.ts'

/**
 * What a call came to: `refused` changed nothing and may be tried anew, `unchanged` found everything as it was asked
 * for, `changed` made a difference.
 */
type Effect = 'refused' | 'unchanged' | 'changed'

const changedIf = (changed: boolean): Effect => (changed ? 'changed' : 'refused')
const unlessNull = (result: unknown): Effect => changedIf(result !== null)

const EFFECTS: { readonly [V in ChangeVerb]: (result: ChangeResult<V>) => Effect } = {
  createWorkspace: unlessNull,
  suspendWorkspace: unlessNull,
  deleteWorkspace: unlessNull,
  createMember: unlessNull,
  updateMember: (result) => ofUpdate(result),
  deleteMember: changedIf,
  createKey: unlessNull,
  revokeKey: changedIf,
  createSession: unlessNull,
  deleteSession: changedIf,
  deleteSessions: (count) => (count > 0 ? 'changed' : 'unchanged'),
  createOperator: unlessNull,
  createSignInLink: ({ outcome }) => changedIf(outcome === 'created'),
  createPortalLink: unlessNull,
  createWebhook: ({ outcome }) => changedIf(outcome === 'created'),
  updateWebhook: (result) => (result?.outcome === 'updated' ? ofUpdate(result) : 'refused'),
  deleteWebhook: (result) => changedIf(result?.outcome === 'deleted'),
  rotateSecret: (result) => changedIf(result?.outcome === 'rotated'),
  sendTest: ({ outcome }) => changedIf(outcome === 'accepted'),
  resend: ({ outcome }) => changedIf(outcome === 'accepted'),
  createReplay: (replay) => changedIf(replay !== null),
  publish: (results) => changedIf(results.every(({ outcome }) => outcome === 'accepted')),
}

function ofUpdate(result: { readonly changed: boolean } | null): Effect {
  if (result === null) return 'refused'
  return result.changed ? 'changed' : 'unchanged'
}

/** Whether the audit log has something to tell of the call. */
export function hasEffect<V extends ChangeVerb>(verb: V, result: ChangeResult<V>): boolean {
  return EFFECTS[verb](result) === 'changed'
}

/** Whether a repeat under the same idempotency key is answered with this result and not tried anew. */
export function isRemembered<V extends ChangeVerb>(verb: V, result: ChangeResult<V>): boolean {
  return EFFECTS[verb](result) !== 'refused'
}

/** The result as a repeat sees it: what was leased to a node then is no news to whoever asks again. */
export function toRemember<V extends ChangeVerb>(verb: V, result: ChangeResult<V>): unknown {
  if (verb !== 'publish') return result
  return (result as ChangeResult<'publish'>).map((one) =>
    one.outcome === 'accepted' ? { ...one, leased: [], unleased: [] } : one,
  )
}
