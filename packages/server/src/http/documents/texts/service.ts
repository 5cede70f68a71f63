import { camelCase } from '../../../profiles/eventForm.ts'
import type { Profile } from '../../../profiles/profile.ts'
import type { EventService } from '../events/service.ts'
import type { Paths } from '../objects.ts'
import type { Text } from '../openapi.ts'
import { delivery } from './delivery.ts'
import { scopeRows } from './scopes.ts'
import { errors, joined, limits, lists, repeats, section, versions } from './sections.ts'
import { signatures } from './signatures.ts'
import { tagsOf } from './tags.ts'

/** What the document of a service says to people. */
export function serviceText(service: EventService, paths: Paths, webhooks: Paths): Text {
  const { served, title, phrase } = service
  const { profile } = served
  const member = (name: string) => (profile.case === 'camel' ? camelCase(name) : name)
  const requests = profile.unsigned ? 'HTTPS requests' : 'signed HTTPS requests'
  return {
    title: `${title}: event webhooks`,
    summary: `Publishes the events of ${phrase} and manages the webhooks that receive them.`,
    description: joined(
      `Posthorn sends the events of ${phrase} as ${requests} to subscribed webhooks. The service uses the operations below to publish events. Its customers use them to manage their webhooks and read the delivery log. The section *webhooks* describes the requests that Posthorn sends, one for each event type.\n\nThe same events are described as [AsyncAPI](/asyncapi.json) and as [JSON Schemas](/schemas/index.json).`,
      authentication(profile),
      errors(paths),
      lists(paths, member('next_cursor')),
      repeats(paths, member('secret_omitted')),
      publishing(service),
      versions(paths),
      limits(paths, served.limits.manualSendsPerMinute ?? 10),
      delivery(served),
      signatures(service),
    ),
    tags: tagsOf({ ...paths, ...webhooks }),
  }
}

const authentication = (profile: Profile): string =>
  section(
    'Authentication',
    'Send `Authorization: Bearer …` with every request: an API key, `phk_…`, or the session token of a member of the workspace, `phs_…`. The operator creates both. They are shown once and belong to one workspace.',
    `The scopes of a key determine what it can do:\n\n${scopeRows(profile)}`,
    'The console sends its session cookie instead. It has the rights of the member of the workspace with the signed-in address.',
    'A key can change and delete only webhooks that it created. Signed-in members can read everything in the workspace, and owners can change it. Only keys publish events.',
  )

function publishing({ anyType, types }: EventService): string {
  const listed = types.some(({ subscribable }) => subscribable)
  const open = listed
    ? 'Its type may have any well-formed name. If the catalog lists the type, the data must be valid under its schema, or nothing is stored. For other types, any object is accepted.'
    : 'Its type may have any well-formed name, and its data may be any object.'
  const rule =
    anyType === null
      ? 'Its type must be in the catalog, and its data must be valid under the schema of the type, or nothing is stored.'
      : open
  return section(
    'Publishing',
    `The response 202 means that the event is stored durably with all of its deliveries. ${rule} Send your own \`id\` to make publishing idempotent for as long as events are kept: the same event with the same id gets \`repeated: true\` and is not sent again. Another event with this id is rejected with 409 \`event_id_conflict\`.`,
  )
}
