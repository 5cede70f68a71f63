import { type Catalog, catalogOf } from '../../../core/catalog.ts'
import { autopilotEvents } from './autopilot.ts'
import { commentEvents } from './comments.ts'
import { generationEvents } from './generations.ts'
import { publicationEvents } from './publications.ts'
import { strategyEvents } from './strategy.ts'
import { versionEvents } from './versions.ts'
import { webhookEvents } from './webhooks.ts'

/**
 * The event types of the content contract, section 6. A schema describes `data` as it is published: the
 * service itself adds `workspace`, `actor_id` and `links` when it composes the envelope.
 */
export const contentCatalog: Catalog = catalogOf([
  ...generationEvents,
  ...versionEvents,
  ...publicationEvents,
  ...commentEvents,
  ...strategyEvents,
  ...autopilotEvents,
  ...webhookEvents,
])
