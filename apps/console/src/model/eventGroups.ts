import { hasAllWords } from './words.ts'

/** The searched fields of an event type. */
export interface Findable {
  readonly type: string
  readonly group: string
  readonly title: string
  readonly description: string
}

export interface EventGroup<Type extends Findable> {
  readonly name: string
  readonly types: readonly Type[]
}

/** Event types that contain all search words, by group and in catalog order. */
export function eventGroups<Type extends Findable>(
  types: readonly Type[],
  search: string,
): readonly EventGroup<Type>[] {
  const found = types.filter(({ type, title, group, description }) =>
    hasAllWords(search, [type, title, group, description]),
  )
  const names = [...new Set(found.map(({ group }) => group))]
  return names.map((name) => ({ name, types: found.filter(({ group }) => group === name) }))
}
