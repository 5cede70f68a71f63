import type { Migration } from '../migration.ts'

/** The trace that an event belongs to, as a W3C `traceparent`; null: none. */
export const traceContexts: Migration = {
  version: 14,
  name: 'trace contexts',
  does: 'stores the trace context of each event',
  goesThrough: { sqlite: [], postgres: [] },
  sqlite: 'ALTER TABLE events ADD COLUMN traceparent TEXT;\n',
  postgres: 'ALTER TABLE events ADD COLUMN traceparent text;\n',
  worksFrom: 9,
  whyBreaking: null,
}
