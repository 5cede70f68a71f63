export { createEgressAgent, type EgressAgentOptions } from './agent.ts'
export { createGuardedConnector } from './connector.ts'
export { EgressError, toEgressError } from './errors.ts'
export { parseProxyUrl } from './tunnel.ts'
