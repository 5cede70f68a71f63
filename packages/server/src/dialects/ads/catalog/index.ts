import { catalogOf } from '../../../core/catalog.ts'
import { audienceEvents } from './audiences.ts'
import { campaignEvents, lineItemEvents } from './campaigns.ts'
import { changeRequestEvents } from './changeRequests.ts'
import { commercialEvents } from './commercial.ts'
import { creativeEvents } from './creatives.ts'
import { operationEvents } from './operations.ts'
import type { AdsEventType } from './shared.ts'
import { spendEvents } from './spend.ts'

export type { AdsEventType } from './shared.ts'

const adsEvents: readonly AdsEventType[] = [
  ...campaignEvents,
  ...lineItemEvents,
  ...creativeEvents,
  ...audienceEvents,
  ...operationEvents,
  ...spendEvents,
  ...commercialEvents,
  ...changeRequestEvents,
]

/**
 * The event types of the ads contract, section 6. A schema describes `payload`, and a published one is never
 * edited: another shape is another type, ending in `.v2`.
 */
// `catalogOf` forgets the wider element type, not the elements.
export const adsCatalog = catalogOf(adsEvents) as ReadonlyMap<string, AdsEventType>
