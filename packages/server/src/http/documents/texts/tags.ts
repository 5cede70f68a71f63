import { SENT_TAG } from '../events/webhooks.ts'
import type { Paths } from '../objects.ts'
import type { Text } from '../openapi.ts'
import { operationsOf } from './sections.ts'

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  Events: 'What happened: published by the service, and read to catch up.',
  Consumers: 'Named places in the feed of events, for receivers that fetch events or keep a stream open.',
  Webhooks: 'Where events are sent, and which.',
  Deliveries: 'What was sent to a webhook, with the attempts and their outcomes.',
  'Operational webhook': 'Where events about webhooks are sent: failing, recovered, disabled.',
  'Audit log': 'Who changed what, and when.',
  Services: 'What is published here, and how it is sent: one profile for each service.',
  Provisioning: 'Workspaces with their members, sessions and keys.',
  Overviews: 'What the console shows of webhooks and event types at a glance.',
  'Signing in': 'Links and sessions of people in the console.',
  Preferences: 'The e-mail notifications that a member gets.',
  Operators: 'Who runs this service.',
  Figures:
    'What was published, what became of its deliveries, how many attempts that took and how long, over time and now.',
  Operations: 'How this node is, for probes and scrapers.',
  [SENT_TAG]: 'What Posthorn sends. You serve these, and Posthorn calls them.',
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
