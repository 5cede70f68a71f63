import type { AdminToken } from '../rows.ts'
import type { Page } from './page.ts'

/** Admin tokens that work at one time. Requests at the same moment may exceed it by as many. */
export const MAX_ADMIN_TOKENS = 100
/** Of those that were revoked or have expired, so many are listed; older ones are deleted. */
export const KEPT_ENDED_TOKENS = 900

export interface AdminTokenReads {
  /** Those that were revoked or have expired are found as well. */
  getAdminToken(params: { publicId: string }): Promise<AdminToken | null>
  /** Newest first, those that were revoked or have expired included. */
  listAdminTokens(params: Page): Promise<readonly AdminToken[]>
}

/** Of no workspace; the log of operators tells of them. */
export interface AdminTokenChanges {
  /** @returns `null` when there are {@link MAX_ADMIN_TOKENS} that work */
  createAdminToken(params: {
    publicId: string
    name: string
    hash: Uint8Array
    expiresAt: number | null
    now: number
  }): Promise<AdminToken | null>
  /** @returns false when there is no such token, or it was revoked before */
  revokeAdminToken(params: { publicId: string; now: number }): Promise<boolean>
}
