import { SECOND_MS } from '../../../core/duration.ts'
import type { ClientLimits } from './clientRate.ts'
import type { Rate } from './rateByName.ts'

export interface AuthenticationLimits {
  /** The admin token in the settings may be guessable, so this limits guesses. */
  readonly adminTokens: ClientLimits
  /** Keys, sessions, links and named admin tokens are random, so this limits the cost of looking them up. */
  readonly credentials: ClientLimits
  /** Of one wrong credential, by one client. */
  readonly repeats: Rate
  /** Requests for sign-in links. */
  readonly linksAskedFor: ClientLimits
  /** Lookups of public keys of webhooks, which need no credential. */
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
