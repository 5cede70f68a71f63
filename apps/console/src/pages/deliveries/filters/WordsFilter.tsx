import { TypedFilter } from './TypedFilter.tsx'

/** Finds by words of the event, or by the id of an event or a delivery. */
export const WordsFilter = (props: {
  readonly value: string | undefined
  readonly onChange: (words: string | undefined) => void
}) => <TypedFilter label="Search" placeholder="Find by id, name or title, in full words" {...props} />
