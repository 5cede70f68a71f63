import type { Identity } from '../../receivers/certificate.ts'
import type { GridCounts } from './grid.ts'

/** Answers 204 and counts arrivals by event and endpoint. Rows are events, columns are endpoints. */
export interface GridReceiverStart {
  /** `null`: it uses plain HTTP. */
  readonly identity: Identity | null
  readonly rows: number
  readonly columns: number
}

export type ToGridReceiver =
  | { readonly kind: 'count' }
  | { readonly kind: 'rows' }
  /** Answers at once until so many cells have an arrival; whatever comes then is answered when more are allowed. */
  | { readonly kind: 'allow'; readonly cells: number }
  /** A sender has been killed: what it sent may come once more. What arrived of it before is counted first. */
  | { readonly kind: 'forgive' }

export type FromGridReceiver =
  | { readonly kind: 'listening'; readonly port: number }
  | ({ readonly kind: 'count' } & GridCounts)
  | { readonly kind: 'rows'; readonly rows: Uint32Array }
  | { readonly kind: 'allowed' }
  | { readonly kind: 'forgiven' }

const MARK = 'row.'
const DIGITS = 8

/** Added to an event's payload so that the receiver can identify the event. */
export const markOf = (row: number) => `${MARK}${String(row).padStart(DIGITS, '0')}`

/** @returns NaN when the body has no mark */
export function rowIn(body: Buffer): number {
  const at = body.indexOf(MARK)
  const digits = at < 0 ? '' : body.toString('latin1', at + MARK.length, at + MARK.length + DIGITS)
  return /^\d{8}$/.test(digits) ? Number(digits) : Number.NaN
}

export const GRID_RECEIVER = new URL('./gridReceiverProgram.ts', import.meta.url)
