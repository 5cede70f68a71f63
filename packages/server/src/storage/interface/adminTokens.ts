import type { AdminToken } from '../rows.ts'
import type { Page } from './page.ts'

/** Active admin tokens at one time. Concurrent requests may exceed it by their number. */
export const MAX_ADMIN_TOKENS = 100
/** Revoked and expired tokens that are listed; older ones are deleted. */
export const KEPT_ENDED_TOKENS = 900

export interface AdminTokenReads {
  /** Also finds revoked and expired tokens. */
  getAdminToken(params: { publicId: string }): Promise<AdminToken | null>
  /** Newest first, including revoked and expired tokens. */
  listAdminTokens(params: Page): Promise<readonly AdminToken[]>
}

/** Changes without a workspace, audited in the operators' log. */
export interface AdminTokenChanges {
  /** @returns `null` when there are {@link MAX_ADMIN_TOKENS} active ones */
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
