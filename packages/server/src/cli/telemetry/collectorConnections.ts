import type { Agent } from 'node:http'
import { convertLegacyHttpOptions } from '@opentelemetry/otlp-exporter-base/node-http'
import type { Clock } from '../../core/clock.ts'
import type { Signal } from '../config/telemetrySettings.ts'

/** An exporter of OTLP, of whichever signal. */
interface Exporter<Batch, Result> {
  export(batch: Batch, done: (result: Result) => void): void
}

/**
 * Connections to the collector. They are closed even while in use when an export takes too long. The library only has a timeout
 * for silence: a response that trickles in would block all exports, and keep a stopped process from exiting.
 */
export class CollectorConnections {
  readonly #clock: Pick<Clock, 'after'>
  readonly #closeAfterMs: number
  /** With the certificates of OpenTelemetry's own variables. */
  readonly #agentFactory: ReturnType<typeof convertLegacyHttpOptions>['agentFactory']
  #agent: Agent | null = null
  #underWay = 0

  constructor(params: {
    readonly clock: Pick<Clock, 'after'>
    readonly signal: Signal
    readonly closeAfterMs: number
  }) {
    const { clock, signal, closeAfterMs } = params
    this.#clock = clock
    this.#closeAfterMs = closeAfterMs
    this.#agentFactory = convertLegacyHttpOptions({}, signal.toUpperCase(), `v1/${signal}`, {}).agentFactory
  }

  /** For the exporter, which asks once. */
  readonly agentFor = async (protocol: string): Promise<Agent> => {
    this.#agent = await this.#agentFactory(protocol)
    return this.#agent
  }

  export<Batch, Result>(
    exporter: Exporter<Batch, Result>,
    batch: Batch,
    done: (result: Result) => void,
  ): void {
    const timer = this.#clock.after(this.#closeAfterMs, () => this.close())
    this.#underWay++
    exporter.export(batch, (result) => {
      timer.cancel()
      this.#underWay--
      // An export on an idle connection that the collector closes at that moment would fail.
      if (this.#underWay === 0) this.close()
      done(result)
    })
  }

  /** The next export opens new ones. */
  close(): void {
    this.#agent?.destroy()
  }
}
