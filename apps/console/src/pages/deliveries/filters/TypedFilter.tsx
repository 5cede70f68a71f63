import { ActionIcon, TextInput } from '@mantine/core'
import { IconArrowRight, IconSearch, IconX } from '@tabler/icons-react'
import { type MouseEvent, useEffect, useId, useState } from 'react'
import classes from './typedFilter.module.css'

/** Prevents the field from losing the focus, which would apply the filter and replace the button during the click. */
const keepsFocus = (event: MouseEvent) => event.preventDefault()

/** A text filter. It is applied on Enter, by its button, or on blur. */
export function TypedFilter(props: {
  readonly label: string
  readonly placeholder: string
  /** Help text. */
  readonly help?: string
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  /** Suggestions. */
  readonly known?: readonly string[]
}) {
  const { label, placeholder, help, value, onChange, known = [] } = props
  const [typed, setTyped] = useState(value ?? '')
  const listId = useId()
  useEffect(() => setTyped(value ?? ''), [value])
  const look = (text: string) => {
    const wanted = text.trim() === '' ? undefined : text.trim()
    if (wanted !== value) onChange(wanted)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        look(typed)
      }}
    >
      <TextInput
        label={label}
        placeholder={placeholder}
        description={help}
        descriptionProps={{ className: classes.help, ...(help === undefined ? {} : { title: help }) }}
        inputWrapperOrder={['label', 'input', 'description']}
        size="xs"
        leftSection={<IconSearch size={14} />}
        rightSection={
          typed.trim() !== (value ?? '') ? (
            <ActionIcon
              type="submit"
              size="sm"
              aria-label={`Apply the ${label.toLowerCase()}`}
              title="Enter"
              onMouseDown={keepsFocus}
            >
              <IconArrowRight size={13} />
            </ActionIcon>
          ) : (
            typed !== '' && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`Clear the ${label.toLowerCase()}`}
                onMouseDown={keepsFocus}
                onClick={() => look('')}
              >
                <IconX size={13} />
              </ActionIcon>
            )
          )
        }
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => look(typed)}
        autoComplete="off"
        spellCheck={false}
        {...(known.length === 0 ? {} : { list: listId })}
      />
      {known.length > 0 && (
        <datalist id={listId}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </form>
  )
}
