/** What the picker must know of an event type. */
export interface Choosable {
  readonly type: string
  readonly group: string
  readonly title: string
  readonly description: string
}

export interface Group<Type extends Choosable> {
  readonly name: string
  /** In the order of the catalog, and only those that the search found. */
  readonly types: readonly Type[]
}

/** The event types in which every word of the search occurs, by group, in the order of the catalog. */
export function groupsFound<Type extends Choosable>(types: readonly Type[], search: string): Group<Type>[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string, Type[]>()
  for (const type of types) {
    const text = `${type.type} ${type.title} ${type.description} ${type.group}`.toLowerCase()
    if (!words.every((word) => text.includes(word))) continue
    groups.set(type.group, [...(groups.get(type.group) ?? []), type])
  }
  return [...groups].map(([name, found]) => ({ name, types: found }))
}

/** The choice once all of `types` are ticked, or none of them any more. */
export function withAll(
  chosen: readonly string[],
  types: readonly Pick<Choosable, 'type'>[],
  ticked: boolean,
): readonly string[] {
  const names = types.map(({ type }) => type)
  const others = chosen.filter((type) => !names.includes(type))
  return ticked ? [...others, ...names] : others
}
