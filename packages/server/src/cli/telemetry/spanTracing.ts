import {
  type Attributes,
  type HrTime,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { AttemptTrace, PublishTrace, TracedDelivery, Tracing } from '../../engine/log/tracing.ts'
import type { SpanBudget } from './spanBudget.ts'

interface Params {
  /** Records every started span. */
  readonly tracer: Tracer
  /** The share of requests without a `traceparent` that start a trace. */
  readonly sampling: number
  /** In [0, 1). */
  readonly random: () => number
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly budget: Pick<SpanBudget, 'take'>
  /** Whether receivers get a `traceparent`. */
  readonly toReceivers: boolean
  /** Called with the number of sampled spans that exceed the budget. */
  readonly onLeftOut: (spans: number) => void
}

type PublishRequest = Parameters<Tracing['publish']>[0]

/**
 * Creates the spans. They have ids, counts, codes and times, but no URLs, headers, bodies or addresses of receivers, which may have
 * secrets.
 */
export class SpanTracing implements Tracing {
  readonly #params: Params

  constructor(params: Params) {
    this.#params = params
  }

  publish(request: PublishRequest): PublishTrace | null {
    const { toReceivers, sampling, random } = this.#params
    const parent = request.traceparent === undefined ? null : contextOf(request.traceparent)
    // Requests that are not sampled cost only this.
    const sampled = parent === null ? random() < sampling : isSampled(parent)
    const started = sampled ? this.#startPublish(parent, request) : null
    if (started !== null) return new RecordedPublish(started, (span) => this.#child(span, 'store'))
    return parent !== null && toReceivers ? unrecordedPublish(textOf(parent)) : null
  }

  #startPublish(parent: SpanContext | null, request: PublishRequest): Started | null {
    const { method, route, workspace, elapsedMs } = request
    return this.#start(`${method} ${route}`, parent, {
      kind: SpanKind.SERVER,
      elapsedMs,
      workspaceId: workspace.id,
      // One more for the span `store`.
      spans: 2,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'posthorn.request.id': request.requestId,
        'posthorn.service': request.dialect,
        'posthorn.workspace.id': workspace.publicId,
        'posthorn.events': request.events,
      },
    })
  }

  fannedOut(
    traceparent: string,
    { workspaceId, deliveries, tookMs }: Parameters<Tracing['fannedOut']>[1],
  ): void {
    const parent = contextOf(traceparent)
    if (parent === null || !isSampled(parent)) return
    const started = this.#start('fan-out', parent, {
      kind: SpanKind.INTERNAL,
      elapsedMs: tookMs,
      workspaceId,
      spans: 1,
      attributes: { 'posthorn.deliveries': deliveries },
    })
    started?.end()
  }

  attempt(traceparent: string, delivery: TracedDelivery): AttemptTrace | null {
    const { toReceivers } = this.#params
    const parent = contextOf(traceparent)
    if (parent === null) return null
    const started = isSampled(parent) ? this.#startAttempt(parent, delivery) : null
    if (started !== null) return new RecordedAttempt(started, toReceivers)
    return toReceivers ? unrecordedAttempt(traceparent) : null
  }

  #startAttempt(parent: SpanContext, { workspaceId, dialect, webhookId, eventType, ids }: TracedDelivery) {
    const started = this.#start('attempt', parent, {
      kind: SpanKind.CLIENT,
      elapsedMs: 0,
      workspaceId,
      spans: 1,
      attributes: {
        'http.request.method': 'POST',
        'posthorn.service': dialect,
        'posthorn.webhook.id': webhookId,
        'posthorn.event.type': eventType,
      },
    })
    if (started !== null) {
      const { eventId, deliveryId } = ids()
      started.span.setAttributes({ 'posthorn.event.id': eventId, 'posthorn.delivery.id': deliveryId })
    }
    return started
  }

  /** @returns `null`: the budget is used up */
  #start(
    name: string,
    parent: SpanContext | null,
    {
      elapsedMs,
      workspaceId,
      spans,
      ...options
    }: SpanOptions & {
      readonly elapsedMs: number
      readonly workspaceId: number
      readonly spans: number
    },
  ): Started | null {
    const { tracer, budget, onLeftOut } = this.#params
    if (!budget.take(workspaceId, spans)) {
      onLeftOut(spans)
      return null
    }
    const watch = this.#watch(elapsedMs)
    const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
    return new Started(tracer.startSpan(name, { ...options, startTime: watch.startTime }, context), watch)
  }

  #child(of: Span, name: string): Started {
    const watch = this.#watch(0)
    const context = trace.setSpan(ROOT_CONTEXT, of)
    return new Started(this.#params.tracer.startSpan(name, { startTime: watch.startTime }, context), watch)
  }

  /** Spans start by the clock that all nodes share; their duration is monotonic time. */
  #watch(elapsedMs: number): Watch {
    const { clock } = this.#params
    const startedAt = clock.now() - elapsedMs
    const monotonicStart = clock.monotonic() - elapsedMs
    return {
      startTime: hrTime(startedAt),
      now: () => hrTime(startedAt + clock.monotonic() - monotonicStart),
    }
  }
}

interface Watch {
  readonly startTime: HrTime
  readonly now: () => HrTime
}

/** A span that is recorded. */
class Started {
  readonly span: Span
  readonly #watch: Watch

  constructor(span: Span, watch: Watch) {
    this.span = span
    this.#watch = watch
  }

  end(attributes: Attributes = {}, error: string | null = null): void {
    this.span.setAttributes(attributes)
    if (error !== null) this.span.setStatus({ code: SpanStatusCode.ERROR, message: error })
    this.span.end(this.#watch.now())
  }
}

class RecordedPublish implements PublishTrace {
  readonly traceparent: string
  readonly #started: Started
  readonly #child: (of: Span) => Started
  #store: Started | null = null

  constructor(started: Started, child: (of: Span) => Started) {
    this.traceparent = textOf(started.span.spanContext())
    this.#started = started
    this.#child = child
  }

  storing(): void {
    this.#store = this.#child(this.#started.span)
  }

  stored(deliveries: number, late: number): void {
    this.#store?.end({ 'posthorn.deliveries': deliveries, 'posthorn.deliveries.late': late })
    this.#store = null
  }

  ended(status: number): void {
    // Not ended yet: the store rejected the events or did not answer.
    this.#store?.end({}, 'not stored')
    this.#store = null
    this.#started.end({ 'http.response.status_code': status }, status < 500 ? null : String(status))
  }
}

class RecordedAttempt implements AttemptTrace {
  readonly traceparent: string | null
  readonly #started: Started

  constructor(started: Started, toReceivers: boolean) {
    this.traceparent = toReceivers ? textOf(started.span.spanContext()) : null
    this.#started = started
  }

  ended({ number, trigger, statusCode, errorCode, cause }: Parameters<AttemptTrace['ended']>[0]): void {
    this.#started.end(
      {
        'posthorn.attempt.number': number,
        'posthorn.attempt.trigger': trigger,
        ...(statusCode === null ? {} : { 'http.response.status_code': statusCode }),
        ...(errorCode === null ? {} : { 'error.type': errorCode }),
        ...(cause === null ? {} : { 'posthorn.attempt.cause': cause }),
      },
      errorCode,
    )
  }

  released(errorCode: string | null): void {
    const type = errorCode ?? 'abandoned'
    this.#started.end({ 'posthorn.attempt.counts': false, 'error.type': type }, type)
  }
}

const unrecordedPublish = (traceparent: string): PublishTrace => ({
  traceparent,
  storing() {},
  stored() {},
  ended() {},
})

const unrecordedAttempt = (traceparent: string): AttemptTrace => ({ traceparent, ended() {}, released() {} })

/** @returns `null`: it is not valid */
function contextOf(traceparent: string): SpanContext | null {
  const context = parseTraceParent(traceparent)
  return context !== null && isSpanContextValid(context) ? { ...context, isRemote: true } : null
}

const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0

/** In this version of the header, `sampled` is the only flag. */
const textOf = (context: SpanContext): string =>
  `00-${context.traceId}-${context.spanId}-${isSampled(context) ? '01' : '00'}`

export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / SECOND_MS)
  return [seconds, Math.round((ms - seconds * SECOND_MS) * 1e6)]
}
