import { prefixedFormat } from './idFormat.ts'

/** Ids of objects that belong to no service. */
export const OWN_IDS = {
  operator: prefixedFormat('opr_'),
  adminToken: prefixedFormat('adt_'),
  browserSession: prefixedFormat('bws_'),
} as const

export type OwnIdKind = keyof typeof OWN_IDS
