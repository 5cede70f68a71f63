export { createEgressAgent, type EgressAgentOptions } from './agent.ts'
export { createGuardedConnector, type GuardedConnectorOptions } from './connector.ts'
export { type ConnectPhase, EgressError, type EgressErrorCode, toEgressError } from './errors.ts'
export { type EgressProxy, parseProxyUrl } from './tunnel.ts'
