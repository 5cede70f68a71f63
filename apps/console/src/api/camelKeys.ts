type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name
type CamelKeys<Json> = { [Name in keyof Json as Camel<Name>]: Json[Name] }

const camel = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const renamed = (json: object, rename: (name: string) => string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(json).map(([name, value]) => [rename(name), value]))

/** Renames top-level members: `event_type` becomes `eventType`. Values are unchanged. */
export const camelKeys = <Json extends object>(json: Json): CamelKeys<Json> =>
  renamed(json, camel) as CamelKeys<Json>

/** Renames top-level members: `eventType` becomes `event_type`. */
export const snakeKeys = (json: object): Record<string, unknown> => renamed(json, snake)
