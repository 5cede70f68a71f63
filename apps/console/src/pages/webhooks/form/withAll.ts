import type { Findable } from '../../../model/eventGroups.ts'

/** The selection after all of `types` are selected or deselected. */
export function withAll(
  chosen: readonly string[],
  types: readonly Pick<Findable, 'type'>[],
  ticked: boolean,
): readonly string[] {
  const names = types.map(({ type }) => type)
  const others = chosen.filter((type) => !names.includes(type))
  return ticked ? [...others, ...names] : others
}
