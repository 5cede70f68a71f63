import { Checkbox, CloseButton, Group, Input, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type EventType, eventTypesQuery } from '../../../api/eventTypes.ts'
import { eventGroups } from '../../../model/eventGroups.ts'
import { Failure, Loading } from '../../../shared/states.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { EventOption } from './EventOption.tsx'
import { OtherTypes } from './OtherTypes.tsx'
import classes from './picker.module.css'
import { withAll } from './withAll.ts'

/** Most event types of a webhook, unless it subscribes to all. */
const MOST_TYPES = 100

/** Selects event types from the catalog, one by one or by group. */
export function EventPicker(props: {
  readonly value: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly error: string | null
}) {
  const { id: ws, service } = useWorkspace()
  const { openCatalog } = service.features
  const { value, onChange, error } = props
  const [search, setSearch] = useState('')
  const catalog = useQuery(eventTypesQuery(ws))
  const id = useId()
  if (catalog.isPending) return <Loading />
  if (catalog.data === undefined) {
    return <Failure error={catalog.error} retry={() => void catalog.refetch()} />
  }
  const all = catalog.data.filter(({ subscribable }) => subscribable)
  const groups = eventGroups(all, search)
  const listed = all.filter(({ type }) => value.includes(type)).length
  const hasList = all.length > 0 || !openCatalog
  return (
    <Stack gap="xs" role="group" aria-labelledby={`${id}-label`} aria-describedby={`${id}-error`}>
      <Group justify="space-between" align="flex-end" gap="xs">
        <Text id={`${id}-label`} size="sm" fw={600}>
          Event types{' '}
          <Text span c="dimmed" size="sm" fw={400} className="ph-numbers">
            {openCatalog ? value.length : `${value.length} of ${all.length}`} selected
          </Text>
        </Text>
        {hasList && (
          <TextInput
            aria-label="Search event types"
            placeholder="Search event types"
            size="xs"
            w={{ base: '100%', xs: 240 }}
            leftSection={<IconSearch size={14} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            onKeyDown={(event) => {
              // Enter in the search must not submit the form.
              if (event.key === 'Enter') event.preventDefault()
            }}
            rightSection={
              search === '' ? null : (
                <CloseButton size="xs" aria-label="Clear the search" onClick={() => setSearch('')} />
              )
            }
          />
        )}
      </Group>
      {hasList && (
        <div className={`ph-surface ${classes.groups}`} data-invalid={error !== null || undefined}>
          {all.length > 1 && all.length <= MOST_TYPES && search.trim() === '' && (
            <div className={classes.group}>
              <div className={classes.legend}>
                <Checkbox
                  size="sm"
                  label={`All ${all.length} event types`}
                  description={
                    openCatalog ? undefined : 'Event types that the service adds later are not included.'
                  }
                  checked={listed === all.length}
                  indeterminate={listed > 0 && listed < all.length}
                  onChange={() => onChange(withAll(value, all, listed < all.length))}
                  styles={{ label: { fontWeight: 600 } }}
                />
              </div>
            </div>
          )}
          {groups.map(({ name, types }) => (
            <EventGroup key={name} name={name} types={types} value={value} onChange={onChange} />
          ))}
          {groups.length === 0 && (
            <Text size="sm" c="dimmed" p="md" role="status">
              No event type matches.
            </Text>
          )}
        </div>
      )}
      {openCatalog && <OtherTypes value={value} listed={all.map(({ type }) => type)} onChange={onChange} />}
      <Input.Error id={`${id}-error`} role="alert">
        {error}
      </Input.Error>
    </Stack>
  )
}

function EventGroup(props: {
  readonly name: string
  readonly types: readonly EventType[]
  readonly value: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}) {
  const { name, types, value, onChange } = props
  const count = types.filter(({ type }) => value.includes(type)).length
  return (
    // biome-ignore lint/a11y/useSemanticElements: the legend of a fieldset is drawn on its border
    <div role="group" aria-label={name} className={classes.group}>
      <div className={classes.legend}>
        <Checkbox
          size="sm"
          label={name}
          aria-label={`All event types of ${name}`}
          checked={count === types.length}
          indeterminate={count > 0 && count < types.length}
          onChange={() => onChange(withAll(value, types, count < types.length))}
          styles={{ label: { fontWeight: 600 } }}
        />
        <Text size="xs" c="dimmed" className="ph-numbers">
          {count} of {types.length}
        </Text>
      </div>
      {types.map((type) => (
        <EventOption
          key={type.type}
          type={type}
          checked={value.includes(type.type)}
          onChange={(ticked) => onChange(withAll(value, [type], ticked))}
        />
      ))}
    </div>
  )
}
