/** Something may have been in `state` at any moment from `from` to `to`, both inclusive. */
interface Span<S> {
  readonly state: S
  readonly from: number
  to: number
}

/**
 * The settings over time, as far as they can be known from outside: a change happens at some moment between
 * the request and its answer, and until the answer both the old and the new state are possible.
 */
export class Timeline<S> {
  readonly spans: Span<S>[]

  constructor(first: S) {
    this.spans = [{ state: first, from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }]
  }

  /** The state that was set last. */
  get last(): S {
    return this.spans.at(-1)!.state
  }

  /** It was changed at some moment from `begin` to `end`. */
  become(state: S, begin: number, end: number): void {
    for (const span of this.spans) span.to = Math.min(span.to, end)
    this.spans.push({ state, from: begin, to: Number.POSITIVE_INFINITY })
  }

  /** It may change on its own at any moment from `from` on. The state that was set last remains the last. */
  mayBecome(state: S, from: number): void {
    this.spans.splice(-1, 0, { state, from, to: Number.POSITIVE_INFINITY })
  }

  /** The states that it may have been in at any moment from `from` to `to`. */
  possible(from: number, to: number): S[] {
    return this.spans.filter((span) => span.from <= to && span.to >= from).map(({ state }) => state)
  }
}
