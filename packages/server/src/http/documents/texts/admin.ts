import type { EventService } from '../events/service.ts'
import type { Paths } from '../objects.ts'
import type { Text } from '../openapi.ts'
import { documentsOf, errors, joined, lists, repeats, section } from './sections.ts'
import { tagsOf } from './tags.ts'

/** What the operator's document says to people. */
export const adminText = (paths: Paths, services: readonly EventService[]): Text => ({
  title: 'Posthorn: provisioning and operations',
  summary: 'Manage workspaces, members and API keys, and read the state of the service.',
  description: joined(
    `For the operators of Posthorn. A workspace belongs to one service, gets its events and contains webhooks, members and API keys. The operations that API keys can use are in the documents of the services: ${documentsOf(services)}.`,
    section(
      'Authentication',
      'Send `Authorization: Bearer …` with an admin token: the one in `POSTHORN_ADMIN_TOKEN` or generated at the first start, or a named one (`pht_…`). Operators who are signed in to the console need no token. `/healthz`, `/readyz` and `/metrics` take no credentials; keep them from the public.',
    ),
    errors(paths),
    lists(paths, 'next_cursor'),
    repeats(paths, 'secret_omitted'),
  ),
  tags: tagsOf(paths),
})
