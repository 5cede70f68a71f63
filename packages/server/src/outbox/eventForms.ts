/** The form of the events of a service, as the outbox needs it. */
export interface EventForm {
  /** The member with the data. */
  readonly data: string
  /** The member with the time of the event. */
  readonly time: string
  /** The prefix of event ids; `null`: they are UUIDs. */
  readonly idPrefix: string | null
}

/**
 * An SQL expression that depends on the form of an event. The member with the data determines the form; the last form applies
 * to all other events.
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
