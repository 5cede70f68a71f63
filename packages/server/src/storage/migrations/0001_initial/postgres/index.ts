import { accounts } from './accounts.ts'
import { changes } from './changes.ts'
import { events } from './events.ts'
import { fanouts } from './fanouts.ts'
import { leases } from './leases.ts'
import { notifications } from './notifications.ts'
import { stats } from './stats.ts'
import { store } from './store.ts'
import { webhooks } from './webhooks.ts'

/** Times are Unix milliseconds. Statuses are text so that a person can read the tables. */
export const postgres = [
  store,
  accounts,
  webhooks,
  events,
  leases,
  fanouts,
  notifications,
  changes,
  stats,
].join('')
