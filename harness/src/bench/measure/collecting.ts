import type { Settings as Environment } from '../../support/posthorn.ts'
import { Program } from '../../support/program.ts'
import { COLLECTOR, type FromCollector, type ToCollector } from '../programs/collector.ts'

/** A collector in its own process, and the settings that make services send to it. */
interface Collecting {
  readonly environment: Environment
  /** Spans received since its start. */
  spans(): Promise<number>
}

interface CollectingOptions {
  /** Of every 100 publish requests without a `traceparent`. */
  readonly sampledPercent: number
  readonly signals: readonly string[]
}

/** Metrics are sent more often than by default, so that each window has some. */
const METRICS_EVERY = '5s'

/** Always ends the collector. */
export async function whileCollecting<T>(
  { sampledPercent, signals }: CollectingOptions,
  use: (collecting: Collecting) => Promise<T>,
): Promise<T> {
  const program = new Program<ToCollector, FromCollector>(COLLECTOR, {})
  try {
    const { url } = await program.next('listening')
    return await use({
      environment: {
        POSTHORN_OTLP_ENDPOINT: url,
        POSTHORN_OTLP_SIGNALS: signals.join(','),
        POSTHORN_OTLP_METRICS_EVERY: METRICS_EVERY,
        POSTHORN_TRACE_SAMPLING: String(sampledPercent / 100),
      },
      spans: async () => (await program.ask({ kind: 'count' }, 'count')).spans,
    })
  } finally {
    await program.stop()
  }
}
