import type { GivenEvent } from './envelope.ts'
import type { Profile } from './profile.ts'

/** `created_at` → `createdAt`. */
export const camelCase = (name: string): string =>
  name.replace(/_+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())

/** `domain event` → `DomainEvent`, `line_item.created.v1` → `LineItemCreatedV1`. */
export const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')

/** The form of the events that publishers of one service send. */
export class EventForm {
  /** The members that hold the data, and when it happened. */
  readonly data: string
  readonly time: string
  readonly #members: readonly { readonly name: string; readonly camel: string }[]

  constructor({ event }: Pick<Profile, 'event'>) {
    this.data = event.data
    this.time = event.time
    this.#members = Object.keys(event.members).map((name) => ({ name, camel: camelCase(name) }))
  }

  /** @param body validated */
  eventOf(body: Readonly<Record<string, unknown>>): GivenEvent {
    const members: Record<string, unknown> = {}
    for (const { name } of this.#members) if (body[name] !== undefined) members[name] = body[name]
    return { type: body.type as string, data: body[this.data] as GivenEvent['data'], members }
  }

  /**
   * The value that must be equal for two events with the same publisher id. Its fingerprint is stored, so its form must not
   * change.
   * @param occurredAt Unix ms; `null`: when it is accepted
   */
  identityOf({ type, data, members }: GivenEvent, occurredAt: number | null): object {
    const others = this.#members.map(({ name, camel }) => [camel, members[name] ?? null])
    return { type, [this.data]: data, ...Object.fromEntries(others), occurredAt }
  }
}
