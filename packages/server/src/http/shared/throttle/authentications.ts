import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../../core/clock.ts'
import { DAY_MS, SECOND_MS } from '../../../core/duration.ts'
import type { Logger } from '../../../engine/log/logger.ts'
import { tooManyWrongCredentials } from '../authProblems.ts'
import { Problem } from '../problems.ts'
import { RateLimitedLogger } from '../rateLimitedLogger.ts'
import { ClientRate, clientOf } from './clientRate.ts'
import type { AuthenticationLimits } from './limits.ts'
import { LookUpLane } from './lookUpLane.ts'
import { RateByName } from './rateByName.ts'
import { RecentNames } from './recentNames.ts'

/**
 * `admin_token` is the one in the settings, which may be a guessable word; `named_admin_token`, made by operators, is random.
 * `provider` is the response of the identity provider.
 */
export const CREDENTIAL_KINDS = [
  'admin_token',
  'named_admin_token',
  'key',
  'session',
  'link',
  'provider',
] as const
type CredentialKind = (typeof CREDENTIAL_KINDS)[number]

/** The credential of a request. */
export interface Attempt {
  readonly kind: CredentialKind
  readonly text: string
  readonly request: FastifyRequest
  /** The problem for a throttled credential, which is not checked. */
  readonly tooMany?: (waitMs: number) => Problem
}

/** Is called for each failed authentication. */
export interface AuthenticationObserver {
  /** @param outcome `throttled`: it was not checked */
  failed(kind: CredentialKind, outcome: 'refused' | 'throttled'): void
}

const MAX_NAMES = 10_000
const RIGHT_FOR_MS = DAY_MS
const LINES_IN_FULL = 5

/**
 * Throttles wrong credentials, on each node separately and in bounded memory (docs/adr/0025-wrong-credentials.md).
 *
 * - A wrong credential is a guess. Guesses are limited for each client and for all clients together.
 * - The same wrong credential again soon, from the same client, has a limit of its own: a program that still uses an old key
 *   does not use up the guesses of others behind its address.
 * - Beyond a limit a credential is neither compared nor looked up, right or wrong: 429.
 * - A credential that was right recently is always checked, so that guesses of others keep no user out. For the admin token,
 *   the client that was right is remembered instead: other clients could still be guessing it.
 */
export class Authentications {
  readonly #observer: AuthenticationObserver
  readonly #adminTokens: ClientRate
  readonly #credentials: ClientRate
  readonly #repeats: RateByName
  readonly #right: RecentNames
  readonly #lane = new LookUpLane()
  readonly #refusals: RateLimitedLogger
  readonly #throttled: RateLimitedLogger

  constructor(params: {
    readonly clock: Clock
    readonly logger: Logger
    readonly observer: AuthenticationObserver
    readonly limits: AuthenticationLimits
  }) {
    const { clock, logger, observer, limits } = params
    this.#observer = observer
    this.#adminTokens = new ClientRate(clock, limits.adminTokens)
    this.#credentials = new ClientRate(clock, limits.credentials)
    this.#repeats = new RateByName(clock, limits.repeats, MAX_NAMES)
    this.#right = new RecentNames(clock, RIGHT_FOR_MS, MAX_NAMES)
    this.#refusals = new RateLimitedLogger(logger, clock, LINES_IN_FULL, {
      one: 'wrong credential',
      many: 'more wrong credentials',
    })
    this.#throttled = new RateLimitedLogger(logger, clock, 1, {
      one: 'wrong credentials are throttled',
      many: 'more wrong credentials were throttled',
    })
  }

  /** Checks a credential that costs nothing to compare. @returns the problem; `null`: it is right */
  compare(attempt: Attempt, isRight: () => boolean, wrong: () => Problem): Problem | null {
    const throttled = this.#throttle(attempt)
    if (throttled !== null) return throttled
    if (!isRight()) return this.#guessed(attempt, wrong)
    this.#right.add(provenBy(attempt))
    return null
  }

  /** Checks a credential that is looked up in the store. @returns what `find` returned, or the problem */
  async lookUp<T extends object>(
    attempt: Attempt,
    find: () => Promise<T | null>,
    wrong: () => Problem,
  ): Promise<T | Problem> {
    const found = await this.#find(attempt, find)
    if (found === null) return this.#guessed(attempt, wrong)
    if (!(found instanceof Problem)) this.#right.add(provenBy(attempt))
    return found
  }

  /** Only checks the limits, for a credential that proves nothing by being right. @returns the problem; `null`: within the limits */
  throttled(attempt: Attempt): Problem | null {
    return this.#throttle(attempt)
  }

  /** Counts a credential whose form is wrong. */
  malformed(attempt: Attempt, wrong: () => Problem): Problem {
    return this.#throttle(attempt) ?? this.#guessed(attempt, wrong)
  }

  /** Counts a credential that has expired, as a repeat and not as a guess. */
  outdated(attempt: Attempt, problem: Problem): Problem {
    const waitMs = this.#repeats.waitMs(repeatedBy(attempt))
    if (waitMs > 0) return this.#tooMany(attempt, waitMs)
    this.#repeats.use(repeatedBy(attempt))
    return this.#refused(attempt, problem)
  }

  async #find<T>(attempt: Attempt, find: () => Promise<T | null>): Promise<T | Problem | null> {
    if (this.#right.has(provenBy(attempt))) return find()
    const throttled = this.#throttle(attempt)
    if (throttled !== null) return throttled
    if (this.#lane.isFull) return this.#tooMany(attempt, SECOND_MS)
    // Many may have begun to wait before the first was found to be wrong.
    return this.#lane.run(async () => this.#throttle(attempt) ?? (await find()))
  }

  #throttle(attempt: Attempt): Problem | null {
    const repeatMs = this.#repeats.waitMs(repeatedBy(attempt))
    if (repeatMs > 0) return this.#tooMany(attempt, repeatMs)
    if (this.#right.has(provenBy(attempt))) return null
    const waitMs = this.#guesses(attempt).waitMs(clientOf(attempt.request.ip))
    return waitMs > 0 ? this.#tooMany(attempt, waitMs) : null
  }

  #guessed(attempt: Attempt, wrong: () => Problem): Problem {
    const guesses = this.#guesses(attempt)
    const client = clientOf(attempt.request.ip)
    const waitMs = guesses.waitMs(client)
    if (this.#repeats.wholeInMs(repeatedBy(attempt)) === 0) guesses.use(client)
    this.#repeats.use(repeatedBy(attempt))
    if (attempt.kind !== 'admin_token') this.#right.delete(provenBy(attempt))
    // It was checked only because the client had been right before.
    if (waitMs > 0) return this.#tooMany(attempt, waitMs)
    return this.#refused(attempt, wrong())
  }

  #refused(attempt: Attempt, problem: Problem): Problem {
    const { kind, request } = attempt
    this.#observer.failed(kind, 'refused')
    this.#refusals.warn(kind, {
      request_id: request.id,
      ip: request.ip,
      credential: kind,
      code: problem.code,
    })
    return problem
  }

  #tooMany({ kind, request, tooMany = tooManyWrongCredentials }: Attempt, waitMs: number): Problem {
    this.#observer.failed(kind, 'throttled')
    this.#throttled.warn(kind, {
      request_id: request.id,
      ip: request.ip,
      credential: kind,
      ...(isThroughUnknownProxy(request) ? { hint: PROXY_HINT } : {}),
    })
    return tooMany(waitMs)
  }

  #guesses({ kind }: Attempt): ClientRate {
    return kind === 'admin_token' ? this.#adminTokens : this.#credentials
  }
}

const PROXY_HINT =
  'requests from this address name other clients in X-Forwarded-For. If it is your proxy, add it to POSTHORN_TRUSTED_PROXIES to count its clients separately'

const isThroughUnknownProxy = ({ headers, ip, socket }: FastifyRequest) =>
  headers['x-forwarded-for'] !== undefined && ip === socket.remoteAddress

const hashOf = ({ text }: Attempt) => hash('sha256', text, 'base64')

/** Per client: many programs send `undefined` by mistake, and each of them needs to see the error. */
const repeatedBy = (attempt: Attempt) => `${clientOf(attempt.request.ip)} ${hashOf(attempt)}`

/** What is remembered when an attempt was right. */
const provenBy = (attempt: Attempt) =>
  attempt.kind === 'admin_token' ? `client ${clientOf(attempt.request.ip)}` : hashOf(attempt)
