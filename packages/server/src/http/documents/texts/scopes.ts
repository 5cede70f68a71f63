import type { Profile } from '../../../profiles/profile.ts'
import { listed } from './sections.ts'

/** What a key may do with each of its scopes, as a list. */
export const scopeRows = (profile: Profile): string =>
  profile.access.keys.map((scope) => `- \`${scope}\` ${meaningOf(profile, scope)}`.trimEnd()).join('\n')

/** The first of the scopes that something needs says what it is; the others are needed besides. */
function meaningOf({ access, operations }: Profile, scope: string): string {
  const isFirst = (scopes: readonly string[]) => scopes[0] === scope
  const manages = isFirst(access.create) && isFirst(access.change)
  const own = Object.entries(operations).filter(
    ([, one]) => one !== null && one.scopes[0] !== access.change[0],
  )
  const grants = [
    ...(isFirst(access.publish) ? ['publishes events'] : []),
    ...(manages ? ['manages webhooks'] : []),
    ...(isFirst(access.create) && !manages ? ['creates webhooks'] : []),
    ...(isFirst(access.change) && !manages ? ['changes and deletes webhooks'] : []),
    ...(isFirst(access.read) ? [`reads ${manages ? '' : 'webhooks, '}events and deliveries`] : []),
    ...own.filter(([, one]) => isFirst(one!.scopes)).map(([name]) => OPERATIONS[name]![0]),
  ]
  const needs = [...besides({ access, operations }, scope), ...(access.contents === scope ? [CONTENTS] : [])]
  const needed = needs.length === 0 ? [] : [`is needed ${needs.join(', and ')}`]
  return [listed(grants), ...needed].filter((part) => part !== '').join(', and ')
}

/** Actions that need a further scope. */
function besides({ access, operations }: Pick<Profile, 'access' | 'operations'>, scope: string): string[] {
  const actions: readonly (readonly [action: string, scopes: readonly string[]])[] = [
    ['publish events', access.publish],
    ['read webhooks, events and deliveries', access.read],
    ['create webhooks', access.create],
    ['change and delete webhooks', access.change],
    ...Object.entries(operations).flatMap(([name, one]): [string, readonly string[]][] =>
      one === null || one.scopes === access.change ? [] : [[OPERATIONS[name]![1], one.scopes]],
    ),
  ]
  const byFirst = new Map<string, string[]>()
  for (const [action, [first, ...others]] of actions)
    if (others.includes(scope)) byFirst.set(first!, [...(byFirst.get(first!) ?? []), action])
  return [...byFirst].map(([first, needed]) => `besides \`${first}\` to ${listed(needed)}`)
}

const OPERATIONS: Readonly<Record<string, readonly [grant: string, action: string]>> = {
  test: ['tests webhooks', 'test webhooks'],
  pause: ['disables and enables webhooks', 'disable and enable webhooks'],
  redeliver: ['redelivers deliveries', 'redeliver deliveries'],
  replay: ['replays deliveries', 'replay deliveries'],
  bulk: ['replays many deliveries at once', 'replay many deliveries at once'],
  retry: ['retries pending deliveries', 'retry pending deliveries'],
  recover: ['recovers failed and canceled deliveries', 'recover failed and canceled deliveries'],
}

const CONTENTS =
  'to see event bodies, response excerpts, signatures, and the whole URLs of webhooks that the key did not create. Without it, bodies, excerpts and signatures are null, URLs show only the scheme and the host, and samples are generated examples'
