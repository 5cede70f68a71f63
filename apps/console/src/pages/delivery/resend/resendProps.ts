import type { Delivery } from '../../../model/delivery.ts'

export interface ResendProps {
  readonly delivery: Delivery
  readonly small?: boolean
}

/** How a button looks in a row of a list. */
export const SMALL = { size: 'compact-sm', variant: 'default' } as const
