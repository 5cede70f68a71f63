import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { eventTypesQuery } from '../../../api/eventTypes.ts'
import { plainText } from '../../../shared/untrusted/pieces.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { TypedFilter } from './TypedFilter.tsx'

/** Most event types in one search. */
const MOST_TYPES = 20
/** More types than this are collapsed to a count. */
const MOST_SHOWN = 3
/** Values of the menu for collapsed types. */
const [FOLDED, CHANGE] = ['folded', 'change']

/** Filters by one or more event types, separated by commas in the URL. */
export function TypesFilter(props: {
  readonly value: string | undefined
  readonly onChange: (types: string | undefined) => void
  /** Offered types; by default all of the service. */
  readonly only?: readonly string[]
}) {
  const { value, onChange, only } = props
  const { id, service } = useWorkspace()
  const [unfolded, setUnfolded] = useState(false)
  const first = useRef<HTMLSelectElement>(null)
  // The menu that expanded them was replaced, so the focus moves to the first select.
  useEffect(() => {
    if (unfolded) first.current?.focus()
  }, [unfolded])
  const types = useQuery({ ...eventTypesQuery(id), enabled: only === undefined })
  const chosen = typesIn(value)
  const names = [...new Set([...(only ?? (types.data ?? []).map(({ type }) => type)), ...chosen])]
  if (service.features.openCatalog) {
    return (
      <TypedFilter
        label="Event type"
        placeholder="All types, or a, b"
        value={value}
        onChange={(typed) => onChange(written(typesIn(typed)))}
        known={names}
      />
    )
  }
  if (chosen.length > MOST_SHOWN && !unfolded) {
    return (
      <NativeSelect
        label="Event type"
        size="xs"
        data={[
          { value: '', label: 'All types' },
          { value: FOLDED, label: `${chosen.length} types` },
          { value: CHANGE, label: 'Edit types' },
        ]}
        value={FOLDED}
        onChange={({ currentTarget: { value: picked } }) =>
          picked === CHANGE ? setUnfolded(true) : onChange(undefined)
        }
      />
    )
  }
  const change = (position: number, type: string) =>
    onChange(written([...chosen.slice(0, position), type, ...chosen.slice(position + 1)]))
  const places = chosen.length === 0 || chosen.length === MOST_TYPES ? chosen.length || 1 : chosen.length + 1
  return (
    <div>
      {Array.from({ length: places }, (_, position) => {
        const type = chosen[position] ?? ''
        const offered = names.filter((name) => name === type || !chosen.includes(name))
        return (
          <NativeSelect
            key={type}
            ref={position === 0 ? first : null}
            label={position === 0 ? 'Event type' : undefined}
            aria-label={position === 0 ? undefined : 'Or event type'}
            mt={position === 0 ? 0 : 4}
            size="xs"
            data={[
              { value: '', label: position === 0 ? 'All types' : type === '' ? 'Or another type' : 'None' },
              ...offered.map((name) => ({ value: name, label: plainText(name) })),
            ]}
            value={type}
            onChange={({ currentTarget }) => change(position, currentTarget.value)}
          />
        )
      })}
    </div>
  )
}

const typesIn = (types: string | undefined): readonly string[] =>
  (types ?? '').split(/[\s,]+/).filter((type) => type !== '')

/** @returns `undefined`: all */
function written(types: readonly string[]): string | undefined {
  const some = [...new Set(types)].filter((type) => type !== '').slice(0, MOST_TYPES)
  return some.length === 0 ? undefined : some.join(',')
}
