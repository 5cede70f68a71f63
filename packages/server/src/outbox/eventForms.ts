/** What the outbox must know of the events of a service. */
export interface EventForm {
  /** The member that holds the data. */
  readonly data: string
  /** The member that says when the event happened. */
  readonly time: string
  /** What event ids begin with; `null`: they are UUIDs. */
  readonly idPrefix: string | null
}

/**
 * An SQL expression that depends on the form of an event. The member that holds the data decides which form it has; the last
 * form is that of all other events.
 * @param hasMember the condition that the event has a member
 */
export function byForm(
  forms: readonly EventForm[],
  hasMember: (member: string) => string,
  expression: (form: EventForm) => string,
): string {
  const last = forms.length - 1
  const cases = forms.slice(0, last).map((form) => `WHEN ${hasMember(form.data)} THEN ${expression(form)}`)
  const otherwise = expression(forms[last]!)
  return cases.length === 0 ? otherwise : `CASE ${cases.join(' ')} ELSE ${otherwise} END`
}
