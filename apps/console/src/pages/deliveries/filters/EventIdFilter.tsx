import { ActionIcon, TextInput } from '@mantine/core'
import { IconSearch, IconX } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import type { FilterProps } from './filterProps.ts'

/** Finds all deliveries of one event. Looks once the id stands there whole: on Enter, or when one goes on. */
export function EventIdFilter({ search, onChange }: FilterProps) {
  const [typed, setTyped] = useState(search.event ?? '')
  useEffect(() => setTyped(search.event ?? ''), [search.event])
  const look = (text: string) => {
    const event = text.trim() === '' ? undefined : text.trim()
    if (event !== search.event) onChange({ event })
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        look(typed)
      }}
    >
      <TextInput
        label="Event id"
        placeholder="Find by event id"
        size="xs"
        leftSection={<IconSearch size={14} />}
        rightSection={
          typed !== '' && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label="Clear the event id"
              onClick={() => look('')}
            >
              <IconX size={13} />
            </ActionIcon>
          )
        }
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => look(typed)}
        autoComplete="off"
        spellCheck={false}
      />
    </form>
  )
}
