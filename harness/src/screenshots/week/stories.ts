import { oneOf, wholeNumber } from '../../support/random.ts'

const TITLES = [
  'Chain care for winter commuters',
  'How to true a wheel at home',
  'Tyre pressure, explained without a chart',
  'Five climbs that are worth the rain',
  'What a bike fit changes, and what it does not',
  'Cargo bikes for families of four',
  'Lights that survive November',
  'The quiet drivetrain: a maintenance diary',
  'Gravel in the low mountains: a weekend',
  'Reading a saddle: wear, width and angle',
]

/**
 * The same kind of event about another subject, with different titles and ids. @param example of the event's
 * type, from the catalog
 */
export function another(example: unknown, random: () => number): unknown {
  if (Array.isArray(example)) return example.map((one) => another(one, random))
  if (typeof example === 'string') return OWN_ID.test(example) ? withOtherEnd(example, random) : example
  if (typeof example !== 'object' || example === null) return example
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => {
      if (name === 'title' && 'content_id' in example) return [name, oneOf(random, TITLES)]
      return [name, another(value, random)]
    }),
  )
}

/** `gen_01kgenv9chain`, but not a user id. */
const OWN_ID = /^(?!usr_)[a-z]{2,3}_01[a-z0-9]{6,}$/
const SYMBOLS = '0123456789abcdefghjkmnpqrstvwxyz'
const END = 5

const withOtherEnd = (id: string, random: () => number) =>
  id.slice(0, -END) +
  Array.from({ length: END }, () => SYMBOLS[wholeNumber(random, 0, SYMBOLS.length - 1)]).join('')
