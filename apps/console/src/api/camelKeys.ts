type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name
type CamelKeys<Json> = { [Name in keyof Json as Camel<Name>]: Json[Name] }

const camel = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const renamed = (json: object, rename: (name: string) => string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(json).map(([name, value]) => [rename(name), value]))

/** The same members by the names of the console: `event_type` as `eventType`. What they hold stays as it is. */
export const camelKeys = <Json extends object>(json: Json): CamelKeys<Json> =>
  renamed(json, camel) as CamelKeys<Json>

/** The other way: `eventType` as `event_type`. */
export const snakeKeys = (json: object): Record<string, unknown> => renamed(json, snake)
