/** A batch body that is as expensive as possible to read. */
export interface HostileBody {
  readonly name: string
  /** Whether the service has to accept it. */
  readonly isLawful: boolean
  /** @param event valid in its workspace */
  make(event: object): string
}

/** A little below the 5 MiB that a batch may have. */
const BYTES = 4_800_000
const MEMBERS = 300_000
const MAX_EVENTS = 1_000
const WRONG_MEMBERS = 400
/** Everything that an event of the content service may have, at maximum length. */
const LINKS = 10
const LINK_CHARACTERS = 2_048

const times = (text: string, inAll = BYTES) => text.repeat(Math.floor(inAll / text.length))
const batchOf = (...events: unknown[]) => JSON.stringify({ events })
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`m${number}`, number % 10]))

const rejected = (name: string, make: HostileBody['make']): HostileBody => ({ name, isLawful: false, make })

/** Each stresses a different part of reading a body: parser, name checks, schemas, messages, storage. */
export const HOSTILE_BODIES: readonly HostileBody[] = [
  rejected('open-arrays', () => times('[')),
  rejected('deep-arrays', () => times('[', BYTES / 2) + times(']', BYTES / 2)),
  rejected('deep-objects', () => {
    const open = times('{"a":', BYTES / 2)
    return `${open}1${'}'.repeat(open.length / 5)}`
  }),
  rejected('member-names', (event) => batchOf({ ...event, ...members(MEMBERS) })),
  rejected('escapes', () => `{"events":[{"type":"${times('\\u0041')}"}]}`),
  // Close enough to `__proto__` to make a filter check twice.
  rejected('prototype-names', () => `{"events":[${times('{"\\u005f_prot_":1},')}{}]}`),
  rejected('huge-numbers', () => `[${times('179769313486231570000000000e282,')}0]`),
  rejected('long-number', () => times('7')),
  rejected('empty-events', () => `{"events":[${times('{},')}{}]}`),
  // As many mistakes as fit: each member is one.
  rejected('wrong-events', (event) => {
    const wrong = { ...event, ...members(WRONG_MEMBERS) }
    return batchOf(...Array.from({ length: MAX_EVENTS }, () => wrong))
  }),
  rejected('wrong-data', (event) => {
    const wrong = { ...event, data: members(WRONG_MEMBERS) }
    return batchOf(...Array.from({ length: MAX_EVENTS }, () => wrong))
  }),
  {
    name: 'lawful',
    isLawful: true,
    make: (event) => {
      const link = 'https://app.content.example/'.padEnd(LINK_CHARACTERS, 'x')
      const links = Object.fromEntries(
        Array.from({ length: LINKS }, (_, n) => [`link_${'abcdefghij'[n]}`, link]),
      )
      const large = { ...event, links }
      const count = Math.floor(BYTES / JSON.stringify(large).length)
      return batchOf(...Array.from({ length: count }, () => large))
    },
  },
]
