/** The members of a delivery that filters use. */
export interface Shown {
  readonly id: string
  readonly webhook: string
  readonly type: string
  readonly status: string
  readonly event: string
  /** Of the latest attempt; `undefined`: there was none. */
  readonly code: number | null | undefined
  readonly createdAt: string
}

/** `null` omits a filter. */
export interface Filter {
  readonly webhook: string | null
  readonly status: string | null
  readonly type: string | null
  /** As requested. */
  readonly code: string | null
  readonly event: string | null
  readonly from: string | null
  readonly to: string | null
}

type Span = readonly [from: string | null, to: string | null]

/** Every combination of these. */
export function filtersOf(values: {
  readonly webhooks: readonly Filter['webhook'][]
  readonly statuses: readonly Filter['status'][]
  readonly types: readonly Filter['type'][]
  readonly codes: readonly Filter['code'][]
  readonly events: readonly Filter['event'][]
  readonly spans: readonly Span[]
}): Filter[] {
  const { webhooks, statuses, types, codes, events, spans } = values
  return webhooks.flatMap((webhook) =>
    statuses.flatMap((status) =>
      types.flatMap((type) =>
        codes.flatMap((code) =>
          events.flatMap((event) =>
            spans.map(([from, to]) => ({ webhook, status, type, code, event, from, to })),
          ),
        ),
      ),
    ),
  )
}

/** Sorted ids of the expected matches. */
export function expectedOf(
  all: readonly Shown[],
  { webhook, status, type, code, event, from, to }: Filter,
): string[] {
  const equal = (wanted: string | null, value: string) => wanted === null || wanted === value
  return all
    .filter((row) => equal(webhook, row.webhook) && equal(status, row.status) && equal(type, row.type))
    .filter((row) => equal(event, row.event) && (code === null || hasCode(row, code)))
    .filter(({ createdAt }) => (from === null || createdAt >= from) && (to === null || createdAt < to))
    .map(({ id }) => id)
    .sort()
}

function hasCode({ code }: Shown, wanted: string): boolean {
  if (code === undefined) return false
  const names = code === null ? ['none'] : [String(code), `${String(code)[0]}xx`]
  return names.includes(wanted)
}

/** @param names of query parameters */
export function queryOf(
  { status, type, code, event, from, to }: Filter,
  names: { readonly typeQuery: string; readonly codeQuery: string; readonly eventQuery: string },
): string {
  const query = new URLSearchParams({ limit: '100' })
  const { typeQuery, codeQuery, eventQuery } = names
  const values = { status, [typeQuery]: type, [codeQuery]: code, [eventQuery]: event, from, to }
  for (const [name, value] of Object.entries(values)) if (value !== null) query.set(name, value)
  return query.toString()
}
