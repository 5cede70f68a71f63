/** Who caused a failed attempt: the receiver, the network in between, or the sender, which is this service. */
export const CAUSES = ['receiver', 'path', 'sender'] as const
export type Cause = (typeof CAUSES)[number]

/** Circumstances that the cause depends on, beside the fault itself. */
export interface Circumstances {
  /** Whether this node's event loop was 1 s or more late during the attempt. */
  readonly loopWasLate: boolean
  /** Whether this node's clock has jumped recently. */
  readonly clockLeapt: boolean
}

interface Rule {
  readonly cause: Cause
  /** Under any of these circumstances the cause is the sender. */
  readonly sendersIf?: keyof Circumstances
  /** Whether it may concern a single receiver, for example one that a proxy or a firewall blocks. */
  readonly maybeOneReceiver?: true
  /** Whether it would happen with every receiver. */
  readonly concernsAll?: true
  /** False: it is no evidence about our network, since nothing was sent, or for a reason of its own. */
  readonly tellsOfWayOut?: false
}

const SENDER: Rule = { cause: 'sender' }
const SENDER_FOR_ALL: Rule = { cause: 'sender', concernsAll: true }
const RECEIVER: Rule = { cause: 'receiver' }
const PATH: Rule = { cause: 'path' }

/** The observed fault of a failed attempt, and its cause. */
const RULES = {
  /** No connection to the forward proxy. */
  proxy_unreachable: SENDER_FOR_ALL,
  /** The forward proxy did not answer in time. Some proxies wait longer than that for a dead receiver. */
  proxy_timeout: { cause: 'sender', maybeOneReceiver: true },
  /** CONNECT was answered 407 or 429. Some proxies answer 407 for a receiver that they block. */
  proxy_refused_sender: SENDER,
  /** CONNECT was answered 502, 503 or 504, with which proxies report a dead target. */
  proxy_found_target_dead: PATH,
  /** CONNECT was answered anything else. */
  proxy_refused_target: { cause: 'sender', maybeOneReceiver: true },
  /** This machine or process lacks sockets, ports or memory. */
  out_of_sockets: SENDER_FOR_ALL,
  /** The system forbade the connect. */
  forbidden: { cause: 'sender', maybeOneReceiver: true },
  /** The node shuts down. */
  shut_down: SENDER,
  no_such_name: RECEIVER,
  /** The name server of this machine cannot be reached. */
  resolver_unreachable: SENDER_FOR_ALL,
  /** It answered with an error, or not in time. */
  resolver_trouble: PATH,
  /** The same, while no name at all could be resolved for long. */
  resolver_silent: SENDER,
  /** Refused, unreachable, or reset before the request was written. */
  connect_failed: PATH,
  connect_timeout: { cause: 'path', sendersIf: 'loopWasLate' },
  /** All connections that this receiver may have are waiting for responses. */
  no_free_connection: RECEIVER,
  refused_target: { cause: 'receiver', tellsOfWayOut: false },
  /** The request cannot be written. */
  unsendable: { cause: 'receiver', tellsOfWayOut: false },
  tls: RECEIVER,
  tls_timeout: { cause: 'receiver', sendersIf: 'loopWasLate' },
  certificate_dates: { cause: 'receiver', sendersIf: 'clockLeapt' },
  /** Reset after the request. */
  reset: RECEIVER,
  /** No answer to the request in time. */
  timeout: { cause: 'receiver', sendersIf: 'loopWasLate' },
  protocol: RECEIVER,
  redirect: RECEIVER,
  status: RECEIVER,
} as const satisfies Record<string, Rule>

export type Fault = keyof typeof RULES

export const FAULTS = Object.keys(RULES) as readonly Fault[]

const ruleOf = (fault: Fault): Rule => RULES[fault]

/** What the fault itself shows; `engine/breaker` finds out whether our whole network is down. */
export function causeOf(fault: Fault, circumstances: Circumstances): Cause {
  const { cause, sendersIf } = ruleOf(fault)
  return sendersIf !== undefined && circumstances[sendersIf] ? 'sender' : cause
}

/** Whether a fault of the sender may concern a single receiver. */
export const maybeOneReceiver = (fault: Fault): boolean => ruleOf(fault).maybeOneReceiver === true

/** Whether a fault would be the same for any receiver. */
export const concernsAll = (fault: Fault): boolean => ruleOf(fault).concernsAll === true

/** Whether the attempt may have failed because our network is down. */
export const tellsOfWayOut = (fault: Fault): boolean => ruleOf(fault).tellsOfWayOut !== false
