import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import { Dialog } from './Dialog.tsx'
import { Failure } from './states.tsx'
import { Untrusted } from './untrusted/Untrusted.tsx'

/** Asks the user to type a word before an action that cannot be undone. */
export function ConfirmByTyping(props: {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly children: ReactNode
  readonly word: string
  readonly action: string
  readonly onConfirm: () => void
  readonly pending: boolean
  readonly error: unknown
}) {
  const [typed, setTyped] = useState('')
  const form = useId()
  const close = () => {
    setTyped('')
    props.onClose()
  }
  const matches = typed.trim().normalize() === props.word.normalize()
  return (
    <Dialog opened={props.opened} onClose={close} title={props.title}>
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault()
          if (matches) props.onConfirm()
        }}
      >
        <Stack>
          <Text size="sm" component="div">
            {props.children}
          </Text>
          <TextInput
            label={
              <>
                Type <Untrusted mono>{props.word}</Untrusted> to confirm
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          {props.error !== null && props.error !== undefined && <Failure error={props.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" color="red" disabled={!matches} loading={props.pending}>
              {props.action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
