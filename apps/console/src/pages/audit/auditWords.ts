import type { AuditEntry, AuditedThing } from '../../model/audit.ts'
import { counted, deliveriesText } from '../../model/numbers.ts'

/** A sentence without its subject: "… paused the webhook X: reason". */
export interface AuditWords {
  readonly verb: string
  /** `null`: the verb is enough. */
  readonly object: AuditedThing | null
  readonly tail: string
}

type Words = (entry: AuditEntry) => Omit<AuditWords, 'object'> & { readonly object?: AuditedThing | null }

/** Text of an entry. Unknown actions are shown by their name. @param noun the service's word for a webhook */
export function auditWords(entry: AuditEntry, noun: string): AuditWords {
  const words = WORDS[entry.action] ?? plain(`did “${entry.action}” to the ${entry.target.type}`)
  const { verb, tail, object = entry.target } = words(entry)
  return { verb: verb.replace('webhook', noun), tail, object }
}

const plain =
  (verb: string): Words =>
  () => ({ verb, tail: '' })

/** Names a service by its title at that time. */
const service =
  (verb: string): Words =>
  ({ target, details: { title, version } }) => ({
    verb: `${verb} the service`,
    object: { ...target, name: isText(title) ? title : (target.name ?? target.id) },
    tail: verb === 'changed' && typeof version === 'number' ? `, now version ${version}` : '',
  })

/** Names a consumer by its id, which is its name. */
const consumer =
  (verb: string): Words =>
  ({ target: { id } }) => ({ verb: `${verb} the consumer ${id}`, object: null, tail: '' })

/** Names an admin token, also if it was deleted since. */
const adminToken =
  (verb: string): Words =>
  ({ target, details: { name } }) => ({
    verb: `${verb} the admin token`,
    object: { ...target, name: target.name ?? (isText(name) ? name : null) },
    tail: '',
  })

const WORDS: Readonly<Record<string, Words>> = {
  'workspace.created': plain('created the workspace'),
  'workspace.suspended': plain('suspended the workspace'),
  'workspace.resumed': plain('resumed the workspace'),
  'workspace.deleted': plain('deleted the workspace'),
  'member.created': ({ details: { role } }) => ({
    verb: 'added the member',
    tail: isText(role) ? ` as ${role}` : '',
  }),
  'member.updated': ({ details: { members, role } }) => ({
    verb: 'changed the member',
    tail: tailOf([...names(members, ['role']), ...(isText(role) ? [`role, now ${role}`] : [])]),
  }),
  'member.deleted': plain('removed the member'),
  'member.signed_in': (entry) =>
    ownDoing(entry)
      ? { verb: 'signed in', object: null, tail: '' }
      : { verb: 'signed in the member', tail: '' },
  'member.signed_out': (entry) =>
    ownDoing(entry)
      ? { verb: 'signed out', object: null, tail: entry.details.everywhere === true ? ' everywhere' : '' }
      : { verb: 'signed out the member', tail: ' everywhere' },
  'member.portal_link_created': plain('created a portal link for the member'),
  'member.sign_in_link_created': plain('created a sign-in link for the member'),
  'session.created': ({ target, details: { member } }) => ({
    verb: 'created a session for the member',
    tail: '',
    ...(isText(member) ? { object: { type: 'member', id: member, name: target.name } } : {}),
  }),
  'key.created': ({ details: { scopes } }) => ({
    verb: 'created the API key',
    tail:
      Array.isArray(scopes) && scopes.length > 0 ? ` with scopes ${scopes.filter(isText).join(', ')}` : '',
  }),
  'key.revoked': plain('revoked the API key'),
  'webhook.created': plain('added the webhook'),
  'webhook.updated': webhookUpdated,
  'webhook.deleted': plain('deleted the webhook'),
  'webhook.secret_rotated': plain('rotated the secret of the webhook'),
  'webhook.switched_off': ({ details: { reason } }) => ({
    verb: 'disabled the webhook',
    tail: REASONS[String(reason)] ?? '',
  }),
  'webhook.tested': ({ details: { event_type: type } }) => ({
    verb: 'sent a test to the webhook',
    tail: isText(type) ? `: ${type}` : '',
  }),
  'webhook.retried': plain('retried the pending deliveries of the webhook'),
  'delivery.sent_again': plain('resent a delivery to the webhook'),
  'delivery.retried': plain('retried a delivery to the webhook'),
  'service.added': service('added'),
  'service.updated': service('changed'),
  'service.removed': service('removed'),
  'admin_token.created': adminToken('created'),
  'admin_token.revoked': adminToken('revoked'),
  'replay.created': ({ details }) => ({ verb: `replayed ${howMany(details)}`, object: null, tail: '' }),
  'recovery.created': ({ target, details }) => ofRecovery(target, `recovered ${howMany(details)}`),
  'recovery.canceled': ({ target }) => ofRecovery(target, 'canceled a recovery'),
  'consumer.created': consumer('created'),
  'consumer.moved': consumer('moved'),
  'consumer.deleted': consumer('deleted'),
}

/** For a deleted webhook, the entry names no webhook. */
const ofRecovery = (target: AuditedThing, verb: string): AuditWords =>
  target.type === 'webhook'
    ? { verb: `${verb} of the webhook`, object: target, tail: '' }
    : { verb, object: null, tail: '' }

const howMany = ({ deliveries }: AuditEntry['details']): string =>
  typeof deliveries === 'number' ? deliveriesText(deliveries) : 'deliveries'

const REASONS: Readonly<Record<string, string>> = {
  gone: ', because its receiver responded with 410 Gone',
  failing: ', because it failed for too long',
}

/** Pausing and disabling have their own verbs; other changes list their fields. */
function webhookUpdated({ details: { members, enabled, paused, missed, missed_more } }: AuditEntry) {
  const verbs = [
    ...(paused === true ? ['paused'] : paused === false ? ['resumed'] : []),
    ...(enabled === true ? ['enabled'] : enabled === false ? ['disabled'] : []),
  ]
  const changed = names(members, ['enabled', 'paused']).map((name) => WEBHOOK_MEMBERS[name] ?? name)
  const verb = [...verbs, ...(changed.length > 0 || verbs.length === 0 ? ['changed'] : [])].join(' and ')
  const many = typeof missed === 'number' && missed > 0 ? counted(missed, 'event') : null
  const cost = many === null ? '' : `, which had skipped ${missed_more === true ? 'at least ' : ''}${many}`
  return { verb: `${verb} the webhook`, tail: `${tailOf(changed)}${cost}` }
}

const WEBHOOK_MEMBERS: Readonly<Record<string, string>> = {
  url: 'URL',
  event_types: 'event types',
  max_per_second: 'rate limit',
  max_in_flight: 'concurrent attempts',
  warn: 'early-warning rule',
  snoozed_until: 'snooze',
}

const ownDoing = ({ actor, target }: AuditEntry) => actor.id !== null && actor.id === target.id
const tailOf = (changed: readonly string[]) => (changed.length === 0 ? '' : `: ${changed.join(', ')}`)
const isText = (value: unknown): value is string => typeof value === 'string'

const names = (members: unknown, except: readonly string[]): readonly string[] =>
  Array.isArray(members) ? members.filter(isText).filter((name) => !except.includes(name)) : []
