import { Button, Group, Stack, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { isEventTypeName } from '../../../model/eventTypeName.ts'
import { plainText } from '../../../shared/untrusted/pieces.ts'

/** Adds event types by name, for services that accept unlisted types. */
export function OtherTypes(props: {
  readonly value: readonly string[]
  readonly listed: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}) {
  const { value, listed, onChange } = props
  const [typed, setTyped] = useState('')
  const [mistake, setMistake] = useState<string | null>(null)
  const others = value.filter((type) => !listed.includes(type))
  const add = () => {
    const name = typed.trim()
    if (name === '') return
    if (!isEventTypeName(name)) {
      setMistake('Use 1 to 128 letters, digits, or the characters _ . / -, such as invoice.paid.')
      return
    }
    if (!value.includes(name)) onChange([...value, name])
    setTyped('')
  }
  return (
    <Stack gap="xs">
      <TextInput
        aria-label="Add an event type by name"
        description={
          listed.length === 0 ? 'Add event types by name.' : 'Add event types that are not listed, by name.'
        }
        placeholder="invoice.paid"
        size="sm"
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setMistake(null)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // Enter adds the type and does not submit the form.
          event.preventDefault()
          add()
        }}
        // Otherwise a name that was typed but not added would be lost on submit.
        onBlur={add}
        error={mistake}
        inputWrapperOrder={['label', 'description', 'input', 'error']}
        autoComplete="off"
        spellCheck={false}
        rightSectionWidth={64}
        rightSection={
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconPlus size={13} />}
            onClick={add}
            aria-label="Add event type"
          >
            Add
          </Button>
        }
      />
      {others.length > 0 && (
        <Group gap={6} role="group" aria-label="Event types that are not listed">
          {others.map((type) => (
            <Button
              key={type}
              size="compact-xs"
              variant="default"
              fw={500}
              rightSection={<IconX size={12} />}
              aria-label={`Remove event type ${plainText(type)}`}
              onClick={() => onChange(value.filter((one) => one !== type))}
            >
              {plainText(type)}
            </Button>
          ))}
        </Group>
      )}
    </Stack>
  )
}
