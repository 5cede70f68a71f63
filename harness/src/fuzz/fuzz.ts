import fc from 'fast-check'
import { parseJson, textOf } from '../api/checkAnswer.ts'
import { Coverage } from '../api/coverage.ts'
import { type Answer, NoAnswerError, Transport, type WireRequest } from '../api/transport.ts'
import { type Fault, judge } from './judge.ts'
import { type Knowledge, learn, ownerOf, unlearn } from './knowledge.ts'
import { type BuiltRequest, build } from './requests/build.ts'
import { type Plan, plansOf } from './requests/plan.ts'
import { type Described, Router } from './router.ts'

export interface FuzzOptions {
  readonly origin: string
  readonly requests: number
  readonly seed: number
  readonly knowledge: Knowledge
  /** Concurrent requests, each on its own connection. */
  readonly concurrency: number
  readonly timeoutMs: number
  /** Called regularly with the number of requests so far. */
  readonly onProgress?: (requests: number) => void
}

/** A fault, the request that caused it, and the result of repeating that request. */
export interface Finding {
  /** Counts from 0 over the run. */
  readonly number: number
  readonly operation: string
  readonly request: WireRequest
  readonly answer: Answer | NoAnswerError
  readonly fault: Fault
  /** Whether the same request fails again when it is repeated without others. */
  readonly failsAlone: boolean
}

export interface FuzzReport {
  readonly requests: number
  /** Answers by status. */
  readonly byStatus: ReadonlyMap<number, number>
  /** One of each kind. */
  readonly findings: readonly Finding[]
  readonly coverage: Coverage
}

/** Beyond these, more findings would only repeat known ones. */
const FINDINGS_AT_MOST = 25
/** This many missing answers in a row mean that the service is gone. */
const SILENCES_AT_MOST = 50

const DEFAULT_WEIGHT = 4

interface Target extends Described {
  readonly plans: fc.Arbitrary<Plan>
}

/** Sends random requests to every operation of some documents and checks each answer. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { origin, concurrency, timeoutMs } = options
  const transport = new Transport({ origin, connections: concurrency, timeoutMs })
  try {
    return await new Run(options, transport).run()
  } finally {
    transport.close()
  }
}

class Run {
  readonly #options: FuzzOptions
  readonly #transport: Transport
  readonly #router: Router
  readonly #targets: readonly Target[]
  readonly #coverage: Coverage
  readonly #byStatus = new Map<number, number>()
  readonly #findings = new Map<string, Finding>()
  #silences = 0

  constructor(options: FuzzOptions, transport: Transport) {
    this.#options = options
    this.#transport = transport
    const { knowledge } = options
    this.#router = new Router(knowledge.documents)
    const described = knowledge.documents.flatMap((document) =>
      document.operations.map((operation) => ({ document, operation })),
    )
    this.#coverage = new Coverage(described.map(({ operation }) => operation))
    this.#targets = described.flatMap((one) => {
      const target = { ...one, plans: plansOf(one, knowledge) }
      return Array.from({ length: knowledge.weights[one.operation.id] ?? DEFAULT_WEIGHT }, () => target)
    })
  }

  async run(): Promise<FuzzReport> {
    const { requests, concurrency, onProgress } = this.#options
    let sent = 0
    while (sent < requests && this.#findings.size < FINDINGS_AT_MOST && this.#silences < SILENCES_AT_MOST) {
      // Answers are learned together and in order, so that a seed gives the same requests again.
      const count = Math.min(concurrency, requests - sent)
      const numbers = Array.from({ length: count }, (_, i) => sent + i)
      await this.#round(numbers)
      sent += count
      onProgress?.(sent)
    }
    return {
      requests: sent,
      byStatus: this.#byStatus,
      findings: [...this.#findings.values()],
      coverage: this.#coverage,
    }
  }

  async #round(numbers: readonly number[]): Promise<void> {
    const made = numbers.map((number) => ({ number, ...this.#make(number) }))
    const answers = await Promise.all(made.map(({ request }) => this.#send(request.wire)))
    for (const [i, { number, target, request }] of made.entries()) {
      await this.#take(number, target, request, answers[i]!)
    }
  }

  #make(number: number): { readonly target: Target; readonly request: BuiltRequest } {
    const seed = mixed(this.#options.seed, number)
    const target = this.#targets[seed % this.#targets.length]!
    const [plan] = fc.sample(target.plans, { seed, numRuns: 1 })
    return { target, request: build(plan!, target, this.#options.knowledge) }
  }

  #send(wire: WireRequest): Promise<Answer | NoAnswerError> {
    return this.#transport.send(wire).catch((error: unknown) => {
      if (error instanceof NoAnswerError) return error
      throw error
    })
  }

  async #take(
    number: number,
    target: Target,
    request: BuiltRequest,
    answer: Answer | NoAnswerError,
  ): Promise<void> {
    const { wire } = request
    this.#count(wire, answer)
    const fault = judge(this.#router, target, request, answer)
    if (fault !== null)
      await this.#note({ number, operation: target.operation.id, request: wire, answer, fault }, () =>
        this.#failsAgain(target, request),
      )
    else if (!(answer instanceof Error)) this.#learn(target, request, answer)
  }

  #count(wire: WireRequest, answer: Answer | NoAnswerError): void {
    this.#silences = answer instanceof Error ? this.#silences + 1 : 0
    if (answer instanceof Error) return
    this.#byStatus.set(answer.status, (this.#byStatus.get(answer.status) ?? 0) + 1)
    const reached = this.#router.find(wire.method, wire.path)
    if (reached !== null) this.#coverage.record(reached.operation, answer.status)
  }

  async #note(finding: Omit<Finding, 'failsAlone'>, failsAgain: () => Promise<boolean>): Promise<void> {
    const { operation, fault } = finding
    const kind = `${operation} ${fault.kind} ${fault.details.join().replace(/\d+|"[^"]*"/g, '')}`
    if (this.#findings.has(kind)) return
    this.#findings.set(kind, { ...finding, failsAlone: await failsAgain() })
  }

  async #failsAgain(target: Target, request: BuiltRequest): Promise<boolean> {
    return judge(this.#router, target, request, await this.#send(request.wire)) !== null
  }

  #learn({ operation }: Target, request: BuiltRequest, answer: Answer): void {
    const { wire, params, caller: account } = request
    const { knowledge } = this.#options
    if (this.#router.find(wire.method, wire.path)?.operation !== operation) return
    const { status, headers, body } = answer
    if (status >= 300) {
      unlearn(knowledge, request, status)
      return
    }
    const path = wire.path.split('?', 1)[0]!
    const exchange = { operation, params, path, account, status, json: parseJson(textOf(body) ?? '')?.value }
    if (headers.etag !== undefined) knowledge.notes.note('etags', ownerOf(exchange)('etags'), headers.etag)
    learn(knowledge, exchange)
  }
}

/** A seed for one request of a run (the finalizer of MurmurHash3). */
function mixed(seed: number, number: number): number {
  let hash = Math.imul(seed ^ Math.imul(number, 0x9e3779b1), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
