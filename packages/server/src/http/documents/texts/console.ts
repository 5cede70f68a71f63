import type { EventService } from '../events/service.ts'
import type { Paths } from '../objects.ts'
import type { Text } from '../openapi.ts'
import { documentsOf, errors, joined, section } from './sections.ts'
import { tagsOf } from './tags.ts'

/** What the document of the console says to people. */
export const consoleText = (paths: Paths, services: readonly EventService[]): Text => ({
  title: 'Posthorn: console',
  summary: 'Sessions, and the data that the console shows in addition to webhooks and deliveries.',
  description: joined(
    `The operations that only the web console uses. For webhooks, deliveries and events it uses the operations of the services, ${documentsOf(services)}, and for workspaces those of [provisioning](/openapi/admin.json).`,
    section(
      'Authentication',
      'Signing in sets a session cookie. The session belongs to an e-mail address. In each workspace, it has the current rights of the member with that address. Inside pages of another product, where browsers do not keep cookies, send `Authorization: Bearer …` with the session token of a member, `phs_…`. API keys do not work here.',
      'Every response to a signed-in person, of the other APIs too, contains the time of the service in `Posthorn-Time`, in Unix milliseconds, because clocks of browsers can be wrong.',
    ),
    errors(paths),
  ),
  tags: tagsOf(paths),
})
