import { prefixedFormat } from './idFormat.ts'

/** Ids of what belongs to no service. */
export const OWN_IDS = {
  operator: prefixedFormat('opr_'),
  adminToken: prefixedFormat('adt_'),
  browserSession: prefixedFormat('bws_'),
} as const

export type OwnIdKind = keyof typeof OWN_IDS
