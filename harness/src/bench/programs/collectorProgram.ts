import { Collector } from '../../otlp/collector.ts'
import { onMessage, startOf, tell } from '../../support/programSide.ts'
import type { FromCollector, ToCollector } from './collector.ts'

await startOf()
const collector = await Collector.start({ keep: false })
onMessage<ToCollector>(() => tell({ kind: 'count', spans: collector.spans } satisfies FromCollector))
tell({ kind: 'listening', url: collector.url } satisfies FromCollector)
