import type { Dialect } from '../../../core/dialect.ts'
import type { EventService } from '../events/service.ts'
import type { Paths } from '../objects.ts'
import type { Text } from '../openapi.ts'
import { delivery } from './delivery.ts'
import { errors, joined, limits, lists, repeats, section, versions } from './sections.ts'
import { signatures } from './signatures.ts'
import { tagsOf } from './tags.ts'

const NEXT_CURSOR: Readonly<Record<EventService['name'], string>> = {
  content: 'next_cursor',
  ads: 'nextCursor',
}

const SECRET_OMITTED: Readonly<Record<EventService['name'], string>> = {
  content: 'secret_omitted',
  ads: 'secretOmitted',
}

const SCOPES: Readonly<Record<string, string>> = {
  'events:write': 'publishes events',
  webhooks: 'manages webhooks and reads events and deliveries',
  'generations:read':
    'is needed besides `webhooks` to create webhooks, and to see event bodies, response excerpts, signatures, and the paths of URLs of webhooks that the key did not create: without it, bodies, excerpts and signatures are null, URLs show only the scheme and the host, and samples are made up',
}

/** What the document of a service says to people. */
export function serviceText(service: EventService, dialect: Dialect, paths: Paths, webhooks: Paths): Text {
  const title = service.title.toLowerCase()
  return {
    title: `${service.title}: event webhooks`,
    summary: `Publishes the events of the ${title} and manages the webhooks that receive them.`,
    description: joined(
      `Posthorn sends the events of the ${title} as signed HTTPS requests to those who asked for them. With the operations below the service publishes events, and its customers manage their webhooks and read what was sent. Under *webhooks* stand the requests that go out, one for each event type.\n\nThe same events as [AsyncAPI](/asyncapi.json) and as [JSON Schemas](/schemas/index.json).`,
      authentication(dialect),
      errors(paths),
      lists(paths, NEXT_CURSOR[service.name]),
      repeats(paths, SECRET_OMITTED[service.name]),
      publishing(),
      versions(paths),
      limits(paths),
      delivery(dialect),
      signatures(service, dialect),
    ),
    tags: tagsOf({ ...paths, ...webhooks }),
  }
}

function authentication({ scopes }: Dialect): string {
  const rows = scopes.map((scope) => `- \`${scope}\` ${SCOPES[scope] ?? ''}`.trimEnd())
  return section(
    'Authentication',
    'Send `Authorization: Bearer …` with every request: an API key, `phk_…`, or the session token of a member of the workspace, `phs_…`. Both are made by the operator, are shown once and belong to one workspace.',
    `A key may do what its scopes allow:\n\n${rows.join('\n')}`,
    'Whoever is signed in to the console sends its cookie instead, and is the member of the workspace that has their address.',
    'A key changes and removes only webhooks that it created. A member who is signed in reads everything of the workspace, and as its owner changes it too; only keys publish events.',
  )
}

const publishing = () =>
  section(
    'Publishing',
    'An event that was answered with 202 is stored with all of its deliveries and survives a power cut. Its type must be in the catalog and its data must fit the schema of the type, or nothing is stored. Bring an `id` of your own to make publishing safe to repeat for as long as events are kept: the same event under the same id is answered with `repeated: true` and sent no second time, another event under it is refused with 409 `event_id_conflict`.',
  )
