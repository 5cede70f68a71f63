import type { FilterProps } from './filterProps.ts'
import { TypedFilter } from './TypedFilter.tsx'

/** Filters by event id. */
export const EventIdFilter = ({ search, onChange }: FilterProps) => (
  <TypedFilter
    label="Event id"
    placeholder="Find by event id"
    value={search.event}
    onChange={(event) => onChange({ event })}
  />
)
