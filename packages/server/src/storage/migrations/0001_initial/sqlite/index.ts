import { accounts } from './accounts.ts'
import { changes } from './changes.ts'
import { events } from './events.ts'
import { notifications } from './notifications.ts'
import { stats } from './stats.ts'
import { store } from './store.ts'
import { webhooks } from './webhooks.ts'

/** Times are Unix milliseconds. Statuses are text so that a person can read the file with any SQLite tool. */
export const sqlite = [store, accounts, webhooks, events, notifications, changes, stats].join('')
