/** A delivery as far as filters look at it. */
export interface Shown {
  readonly id: string
  readonly webhook: string
  readonly type: string
  readonly status: string
  readonly createdAt: string
}

/** `null` leaves a filter out. */
export interface Filter {
  readonly webhook: string | null
  readonly status: string | null
  readonly type: string | null
  readonly from: string | null
  readonly to: string | null
}

type Span = readonly [from: string | null, to: string | null]

/** Every combination of these. */
export function filtersOf(values: {
  readonly webhooks: readonly Filter['webhook'][]
  readonly statuses: readonly Filter['status'][]
  readonly types: readonly Filter['type'][]
  readonly spans: readonly Span[]
}): Filter[] {
  return values.webhooks.flatMap((webhook) =>
    values.statuses.flatMap((status) =>
      values.types.flatMap((type) => values.spans.map(([from, to]) => ({ webhook, status, type, from, to }))),
    ),
  )
}

/** Ids of what a filter must find, sorted. */
export function expectedOf(all: readonly Shown[], { webhook, status, type, from, to }: Filter): string[] {
  const equal = (wanted: string | null, value: string) => wanted === null || wanted === value
  return all
    .filter((row) => equal(webhook, row.webhook) && equal(status, row.status) && equal(type, row.type))
    .filter(({ createdAt }) => (from === null || createdAt >= from) && (to === null || createdAt < to))
    .map(({ id }) => id)
    .sort()
}

/** @param typeName of the query parameter */
export function queryOf({ status, type, from, to }: Filter, typeName: string): string {
  const query = new URLSearchParams({ limit: '100' })
  for (const [name, value] of Object.entries({ status, [typeName]: type, from, to }))
    if (value !== null) query.set(name, value)
  return query.toString()
}
