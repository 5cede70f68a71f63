import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, RawServerDefault } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import type { Quotas } from '../../core/quotas.ts'
import type { EgressRules } from '../../core/targets/index.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Logger } from '../../engine/log/logger.ts'
import type { Tracing } from '../../engine/log/tracing.ts'
import type { Trail } from '../../engine/log/trail.ts'
import type { Warnings } from '../../engine/log/warnings.ts'
import type { Shared, Standing } from '../../engine/maintenance/watches.ts'
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
 * What routes may do on the store: read, let people in, and change what the engine keeps nothing in step with, such as members
 * and keys. What is sent is the engine's.
 */
type HttpStorage = Pick<
  Storage,
  | 'accounts'
  | 'adminTokens'
  | 'webhooks'
  | 'log'
  | 'audit'
  | 'figures'
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

/** What the HTTP layer works with. */
export interface AppDeps {
  readonly engine: Engine
  readonly storage: HttpStorage
  /** The services, by name. One that changes is another object. */
  readonly dialects: ReadonlyMap<string, ServedProfile>
  /** Where they come from. */
  readonly services: Pick<ServiceRegistry, 'refresh' | 'stored'>
  readonly egressRules: EgressRules
  /** Seals cursors, and credentials that a repeated request is shown again. */
  readonly secretBox: SecretBox
  /** Opens the provisioning routes. */
  readonly adminToken: string
  /** What the relay of this process shows. */
  readonly relayToken: string
  readonly clock: Clock
  readonly logger: Logger
  readonly trail: Trail
  /** `null`: nothing is traced. */
  readonly tracing: Pick<Tracing, 'publish'> | null
  /** What was built of the web console; `null`: it is not served. */
  readonly consoleDirectory: string | null
  /** The built documentation; `null`: it is not served. */
  readonly helpDirectory: string | null
  /** The packed libraries. */
  readonly downloadsDirectory: string
  /** To be called when a notification was stored, so that its e-mail goes out at once. */
  readonly onNotified: () => void
  /** Whether there is a mail server; without one, messages are written as files. */
  readonly sendsEmail: boolean
  /** Where people reach the service, without a slash at the end; known once it listens. */
  readonly publicUrl: () => string
  /** Where operators reach the administration and `/metrics`, which then exist there alone; `null`: with everything else. */
  readonly adminUrl: (() => string) | null
  /** Signs people in to the console besides links; `null`: there is none. */
  readonly signInProvider: ProviderSettings | null
  /** With it, the service speaks HTTPS and nothing else. */
  readonly tls: TlsIdentity | null
  /** How long events and deliveries are kept. */
  readonly retentionMs: number
  /** Who may show the console inside pages of theirs. */
  readonly portalOrigins: readonly string[]
  /** Addresses and CIDRs of reverse proxies, which are believed whom they ask for. */
  readonly trustedProxies: readonly string[]
  /** Of one workspace. */
  readonly quotas: Pick<Quotas, 'streams' | 'consumers' | 'readers'>
  readonly consumerObserver: ConsumerObserver
  readonly authenticationLimits: AuthenticationLimits
  readonly authenticationObserver: AuthenticationObserver
  readonly bodyBudget: BodyBudget
  readonly arrivals: Arrivals
  readonly connections: Connections
  /** Of the administration's own address: a crowd at the other one must not keep operators out. */
  readonly adminConnections: Connections
  /** How all that is published and sent stands. */
  readonly standing: Pick<Shared<Standing>, 'current'>
  /** What operators are warned of on this node. */
  readonly warnings: Pick<Warnings, 'list'>
  /** Whether this node would accept a publish now. */
  readonly readiness: Pick<Shared<boolean>, 'current'>
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
  /** A delivery as the workspace's own service shows it, for routes that serve all of them. */
  readonly deliveryJson: (caller: Caller, delivery: DeliveryRecord) => object
  readonly authentications: Authentications
  readonly linksAskedFor: ClientRate
  /** Shares out the event loop among requests that need much of it. */
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
