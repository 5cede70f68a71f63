type Camel<Name> = Name extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name
type CamelKeys<Json> = { [Name in keyof Json as Camel<Name>]: Json[Name] }

/** The same members by the names of the console: `event_type` as `eventType`. What they hold stays as it is. */
export function camelKeys<Json extends object>(json: Json): CamelKeys<Json> {
  const entries = Object.entries(json).map(([name, value]) => [
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return Object.fromEntries(entries)
}
