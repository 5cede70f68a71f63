import type { Migration } from '../migration.ts'

/**
 * A recovery may also send events that its webhook missed, and records its position in the feed. SQLite finds the deliveries of
 * an event by their ids, which were reserved when it was published; deliveries that were added later are listed.
 */
export const missed: Migration = {
  version: 9,
  name: 'missed',
  does: 'lets recoveries send missed events',
  goesThrough: { sqlite: ['replays'], postgres: [] },
  sqlite: `
ALTER TABLE replays ADD COLUMN missed INTEGER NOT NULL DEFAULT 0 CHECK (missed IN (0, 1));
ALTER TABLE replays ADD COLUMN at_major INTEGER NOT NULL DEFAULT 0;
ALTER TABLE replays ADD COLUMN at_minor INTEGER NOT NULL DEFAULT 0;

CREATE TABLE added_deliveries (
  event_id INTEGER NOT NULL,
  delivery_id INTEGER NOT NULL,
  PRIMARY KEY (event_id, delivery_id)
) STRICT, WITHOUT ROWID;
`,
  postgres: `
ALTER TABLE replays ADD COLUMN missed boolean NOT NULL DEFAULT false;
ALTER TABLE replays ADD COLUMN at_major bigint NOT NULL DEFAULT 0;
ALTER TABLE replays ADD COLUMN at_minor bigint NOT NULL DEFAULT 0;
`,
  worksFrom: 9,
  whyBreaking: 'an earlier release would end recoveries before missed events are sent',
}
