import { SECOND_MS } from '../../../core/duration.ts'
import type { ClientLimits } from './clientRate.ts'
import type { Rate } from './rateByName.ts'

export interface AuthenticationLimits {
  /** The admin token that is set may be one that a person thought up, so that its limit is on guessing. */
  readonly adminTokens: ClientLimits
  /** Keys, sessions, links and admin tokens that operators make are random, so that their limit is on what looking them up costs. */
  readonly credentials: ClientLimits
  /** Of one wrong credential, by one client. */
  readonly repeats: Rate
  /** Sign-in links that are asked for. */
  readonly linksAskedFor: ClientLimits
  /** Public keys of webhooks that are looked up, for which no credential is needed. */
  readonly publicKeys: ClientLimits
}

export const AUTHENTICATION_LIMITS: AuthenticationLimits = {
  adminTokens: {
    byClient: { burst: 30, everyMs: 30 * SECOND_MS },
    inAll: { burst: 300, everyMs: SECOND_MS },
  },
  credentials: {
    byClient: { burst: 100, everyMs: 100 },
    inAll: { burst: 2_000, everyMs: 5 },
  },
  repeats: { burst: 30, everyMs: 30 * SECOND_MS },
  linksAskedFor: {
    byClient: { burst: 30, everyMs: 30 * SECOND_MS },
    inAll: { burst: 600, everyMs: SECOND_MS / 2 },
  },
  publicKeys: {
    byClient: { burst: 100, everyMs: 100 },
    inAll: { burst: 2_000, everyMs: 5 },
  },
}
