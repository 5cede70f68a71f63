import type { MovedTable } from './movedTable.ts'

const deltas: MovedTable = {
  name: 'figures_deltas',
  columns: { id: 'integer', at: 'integer', scope: 'text', data: 'text' },
  walk: ['id'],
}

const figures: MovedTable = {
  name: 'figures',
  columns: { id: 'integer', unit: 'text', scope: 'text', at: 'integer', sheet: 'integer', data: 'text' },
  walk: ['id'],
}

const queueSamples: MovedTable = {
  name: 'queue_samples',
  columns: { at: 'integer', pending: 'integer', due: 'integer', oldest_due_at: 'integer' },
  walk: ['at'],
}

/** What was counted. */
export const FIGURE_TABLES: readonly MovedTable[] = [deltas, figures, queueSamples]
