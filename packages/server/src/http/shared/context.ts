import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, RawServerDefault } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import type { Quotas } from '../../core/quotas.ts'
import type { EgressRules } from '../../core/targets/index.ts'
import type { CachedRead } from '../../engine/cachedRead.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../engine/log/logger.ts'
import type { Tracing } from '../../engine/log/tracing.ts'
import type { Trail } from '../../engine/log/trail.ts'
import type { Warnings } from '../../engine/log/warnings.ts'
import type { Overview } from '../../engine/maintenance/watches.ts'
import type { KeyStateStorage } from '../../engine/manage/masterKeys.ts'
import type { EventSchemas } from '../../engine/publish/eventSchemas.ts'
import type { SecretBox } from '../../engine/secretBox.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import type { ServiceRegistry } from '../../services/registry.ts'
import type { DeliveryRecord } from '../../storage/rows.ts'
import type { Storage } from '../../storage/storage.ts'
import type { AdminListener } from './adminListener.ts'
import type { Arrivals } from './bodies/arrivals.ts'
import type { BodyBudget } from './bodies/budget.ts'
import type { Connections } from './bodies/connections.ts'
import type { LoopTurns } from './bodies/turns.ts'
import type { Caller } from './caller.ts'
import type { ConsumerObserver, ConsumerReaders } from './consumers/readers.ts'
import type { Skips } from './consumers/skips.ts'
import type { Credentials } from './credentials.ts'
import type { KeysInUse } from './keysInUse.ts'
import type { LiveStreams } from './live/liveStreams.ts'
import type { OutboxState } from './outboxState.ts'
import type { ProviderSettings } from './providerSettings.ts'
import type { TlsIdentity } from './servers.ts'
import type { StoreFacts } from './storeFacts.ts'
import type { AuthenticationObserver, Authentications } from './throttle/authentications.ts'
import type { ClientRate } from './throttle/clientRate.ts'
import type { AuthenticationLimits } from './throttle/limits.ts'

/**
 * The part of the store that routes use: reads, authentication, and changes that do not affect the engine, such as to members
 * and keys. The engine makes all other changes.
 */
type HttpStorage = Pick<
  Storage,
  | 'accounts'
  | 'adminTokens'
  | 'webhooks'
  | 'log'
  | 'audit'
  | 'stats'
  | 'consumers'
  | 'credentials'
  | 'signIns'
  | 'profiles'
  | 'change'
  | 'onCredentialsChanged'
> &
  KeyStateStorage & {
    readonly alerts: Pick<Storage['alerts'], 'getOperational' | 'makeOperational'>
    readonly sending: Pick<Storage['sending'], 'countPending'>
    readonly egress: Pick<Storage['egress'], 'listOutages'>
  }

/** The dependencies of the HTTP layer. */
export interface AppDeps {
  readonly engine: Engine
  readonly storage: HttpStorage
  /** The services, by name. A changed service is a new object. */
  readonly dialects: ReadonlyMap<string, ServedProfile>
  /** Their source. */
  readonly services: Pick<ServiceRegistry, 'refresh' | 'stored'>
  readonly egressRules: EgressRules
  /** Encrypts cursors, and credentials that a repeated request gets again. */
  readonly secretBox: SecretBox
  /** Gives access to the provisioning routes. */
  readonly adminToken: string
  /** What the relay of this process shows. */
  readonly relayToken: string
  readonly clock: Clock
  readonly logger: Logger
  readonly trail: Trail
  /** `null`: nothing is traced. */
  readonly tracing: Pick<Tracing, 'publish'> | null
  /** The built web console; `null`: it is not served. */
  readonly consoleDirectory: string | null
  /** The built documentation; `null`: `/help` says that it is not built. */
  readonly helpDirectory: string | null
  /** The built page for API documents; `null`: `/docs` says that it is not built. */
  readonly referenceDirectory: string | null
  /** The packed libraries. */
  readonly downloadsDirectory: string
  /** Call this when a notification was stored, so that its e-mail is sent immediately. */
  readonly onNotified: () => void
  /** Whether there is a mail server; without one, messages are written as files. */
  readonly sendsEmail: boolean
  /** Where people reach the service, without a slash at the end; known once it listens. */
  readonly publicUrl: () => string
  /** The admin URL, which then is the only one with the admin API and `/metrics`; `null`: there is no separate one. */
  readonly adminUrl: (() => string) | null
  /** An additional way to sign in to the console; `null`: none. */
  readonly signInProvider: ProviderSettings | null
  /** With it, the service speaks HTTPS and nothing else. */
  readonly tls: TlsIdentity | null
  /** How long events and deliveries are kept. */
  readonly retentionMs: number
  /** Origins that may show the console in a frame. */
  readonly portalOrigins: readonly string[]
  /** Addresses and CIDRs of trusted reverse proxies. */
  readonly trustedProxies: readonly string[]
  /** Of one workspace. */
  readonly quotas: Pick<Quotas, 'streams' | 'consumers' | 'readers'>
  readonly consumerObserver: ConsumerObserver
  readonly authenticationLimits: AuthenticationLimits
  readonly authenticationObserver: AuthenticationObserver
  readonly bodyBudget: BodyBudget
  readonly arrivals: Arrivals
  readonly connections: Connections
  /** For the admin address: a crowd at the public one must not keep operators out. */
  readonly adminConnections: Connections
  /** The state of all publishing and sending. */
  readonly overview: Pick<CachedRead<Overview>, 'current'>
  /** What operators are warned of on this node. */
  readonly warnings: Pick<Warnings, 'list'>
  /** Whether this node would accept a publish now. */
  readonly isReady: () => Promise<boolean>
  readonly storeFacts: StoreFacts
  readonly dataDir: string
  /** Of the outbox that this service relays; `null`: there is none. */
  readonly outboxState: () => OutboxState | null
  /** The text of all metrics in the Prometheus format. */
  readonly metricsText: () => Promise<string>
}

/** What routes share. */
export interface Context extends AppDeps {
  readonly adminListener: AdminListener
  readonly credentials: Credentials
  readonly keysInUse: KeysInUse
  readonly liveStreams: LiveStreams
  readonly consumerReaders: ConsumerReaders
  readonly consumerSkips: Skips
  /** A delivery in the form of the workspace's service, for routes that serve all of them. */
  readonly deliveryJson: (caller: Caller, delivery: DeliveryRecord) => object
  readonly authentications: Authentications
  readonly linksAskedFor: ClientRate
  /** Divides the event loop among expensive requests. */
  readonly turns: LoopTurns
}

/** What the operations of one service share. */
export interface ServiceContext extends Context {
  readonly dialect: ServedProfile
  readonly eventSchemas: EventSchemas
  /** A member of the JSON of operations, which are written in snake_case, as the service spells it. */
  readonly member: (name: string) => string
}

/** A Fastify instance whose handlers get their types from typebox schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyInstance['log'],
  TypeBoxTypeProvider
>

/** One route, as its file exports it. */
export type Route = (app: App, ctx: Context) => void
