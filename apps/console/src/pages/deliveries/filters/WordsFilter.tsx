import { searchHelp, searchPlaceholder } from '../../../model/searchable.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { TypedFilter } from './TypedFilter.tsx'

/** Filters by words of the event, or by the id of an event or delivery. */
export function WordsFilter(props: {
  readonly value: string | undefined
  readonly onChange: (words: string | undefined) => void
}) {
  const { searchable } = useWorkspace().service.features
  return (
    <TypedFilter
      label="Search"
      placeholder={searchPlaceholder(searchable)}
      help={searchHelp(searchable)}
      {...props}
    />
  )
}
