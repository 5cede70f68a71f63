import type { Delivery } from '../../../model/delivery.ts'

export interface ResendProps {
  readonly delivery: Delivery
  readonly small?: boolean
}

/** Button style in rows of a list. */
export const SMALL = { size: 'compact-sm', variant: 'default' } as const
