import { OWNER } from './demoWorld.ts'
import type { HostileWorld } from './hostileWorld.ts'
import type { Reach } from './pageStates.ts'
import { allConsolePages, type ConsolePage } from './pages.ts'

/** Pages without content, or that only redirect. */
const EMPTY =
  /^blank-|-none$|^(home|workspace|missing|webhook-missing|embedded-over|sign-in.*|portal-refused)$/

/** States with a separate test in which more is entered. */
const TRIED_APART = /^menu-|-collision$|-messages$/

/** The latest attempt is open, and the others are like it. */
const asItIs: Reach = async () => undefined

/** Every page of the console that shows text written by others. */
export function hostilePages(world: HostileWorld): readonly ConsolePage[] {
  const { content, ads, deliveries, adsDeliveries, delivered, event, off } = world
  const acme = `/w/${content.id}`
  const shown = { failing: deliveries.get('markup')!, delivered, event, off, dead: adsDeliveries[0]! }
  return [
    ...allConsolePages(world, shown).filter(({ name }) => !EMPTY.test(name) && !TRIED_APART.test(name)),
    ...[...deliveries]
      .filter(([, id]) => id !== shown.failing)
      .map(([kind, id]) => ({
        ...{ name: `delivery-${kind}`, as: OWNER },
        path: `${acme}/webhooks/${content.webhooks.failing}/deliveries/${id}`,
      })),
    ...adsDeliveries.slice(1).map((id, place) => ({
      ...{ name: `ads-delivery-${place}`, as: OWNER, reach: asItIs },
      path: `/w/${ads.id}/webhooks/${ads.endpoints.dead}/deliveries/${id}`,
    })),
    { name: 'operator-acme-audit', path: `${acme}/audit-log`, as: null },
  ]
}
