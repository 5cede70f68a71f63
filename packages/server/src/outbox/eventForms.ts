/** What the outbox must know of the events of a service. */
export interface EventForm {
  /** The member that holds the data. */
  readonly data: string
  /** The member that says when the event happened. */
  readonly time: string
  /** What event ids begin with; `null`: they are UUIDs. */
  readonly idPrefix: string | null
}
