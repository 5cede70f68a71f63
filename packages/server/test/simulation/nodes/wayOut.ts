import { type ConnectProgress, EgressError } from '../../../src/engine/egress/index.ts'

/** The fault of a node's egress. */
export interface WayOut {
  /** The phase that connects reach. */
  readonly phase: ConnectProgress['phase']
  /** How connects fail; `null`: nothing gets through, in either direction, until the sender times out. */
  readonly error: EgressError | null
}

const failing = (phase: WayOut['phase'], ...error: ConstructorParameters<typeof EgressError>): WayOut => ({
  phase,
  error: new EgressError(...error),
})

/** The kinds of egress faults. */
export const WAYS_OUT = {
  'egress-down': { phase: 'connect', error: null },
  'proxy-dead': failing('proxy', 'connect_failed', 'proxy_unreachable', 'The proxy could not be reached.'),
  'proxy-407': failing('proxy', 'connect_failed', 'proxy_refused_sender', 'The proxy answered 407.'),
  'resolver-dead': failing(
    'resolve',
    'dns_failed',
    'resolver_unreachable',
    'The name server could not be asked.',
  ),
  'out-of-sockets': failing('connect', 'connect_failed', 'out_of_sockets', 'There was no free socket.'),
} as const satisfies Record<string, WayOut>

export type WayOutFault = keyof typeof WAYS_OUT
export const WAY_OUT_FAULTS = Object.keys(WAYS_OUT) as readonly WayOutFault[]
