import type { OutboxOptions } from './event.ts'

/**
 * The statements of an outbox in PostgreSQL: $1 is the workspace, $2 one event as JSON, or an array of events. Both are sent as
 * text, since drivers differ in how they convert jsonb parameters.
 */
export function statementsOf({ schema = 'posthorn' }: OutboxOptions) {
  const emit = `${quoted(schema)}.emit`
  return {
    one: `SELECT ${emit}($1::text, $2::text::jsonb) AS id`,
    many: `SELECT ${emit}($1::text, e.event::jsonb) AS id FROM unnest($2::text[]) WITH ORDINALITY AS e(event, n) ORDER BY e.n`,
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

export interface EmittedRow {
  readonly id: string
}

export const idsOf = (rows: readonly unknown[]): string[] => rows.map((row) => (row as EmittedRow).id)
