import { SENT_TAG } from '../events/webhooks.ts'
import type { Paths } from '../objects.ts'
import type { Text } from '../openapi.ts'
import { operationsOf } from './sections.ts'

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  Events: 'Publish events, and read them to catch up.',
  Consumers: 'Named positions in the feed of events, for receivers that poll or stream events.',
  Webhooks: 'The URLs that receive events, and their event types.',
  Deliveries: 'Deliveries to webhooks, with attempts and results.',
  'Operational webhook': 'Receives events about webhooks: failing, recovered, disabled.',
  'Audit log': 'Changes, with the actor and the time.',
  Services: 'Services and their profiles: event types, request body, signature and retry schedule.',
  Provisioning: 'Workspaces with their members, sessions and keys.',
  Overviews: 'Summaries of webhooks and event types for the console.',
  'Signing in': 'Links and sessions of people in the console.',
  Preferences: 'The e-mail notifications that a member gets.',
  Operators: 'The people who run this service.',
  Stats: 'Numbers of events, deliveries and attempts, and durations of attempts, over time.',
  Operations: 'The state of this node, for probes and scrapers.',
  [SENT_TAG]: 'The requests that Posthorn sends to your endpoint.',
}

/**
 * The tags of operations, in the order in which they come up.
 * @throws Error for one that is not described here
 */
export function tagsOf(paths: Paths): Text['tags'] {
  const names = new Set(operationsOf(paths).flatMap(({ tags = [] }) => tags))
  return [...names].map((name) => {
    const description = DESCRIPTIONS[name]
    if (description === undefined) throw new Error(`the tag ${name} is not described here`)
    return { name, description }
  })
}
