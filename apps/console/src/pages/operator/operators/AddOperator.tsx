import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addOperator, type Operator, operatorsQuery } from '../../../api/operator.ts'
import { isProblem } from '../../../api/problem.ts'
import { capitalized } from '../../../model/words.ts'
import { Dialog } from '../../../shared/Dialog.tsx'
import { Failure } from '../../../shared/states.tsx'
import { plainText } from '../../../shared/untrusted/pieces.ts'
import { useIdempotencyKey } from '../../../shared/useIdempotencyKey.ts'

interface Asking {
  readonly onClose: () => void
  readonly onAdded: (operator: Operator) => void
}

/** Dialog that adds an operator. */
export function AddOperator({ opened, ...asking }: Asking & { readonly opened: boolean }) {
  return (
    <Dialog opened={opened} onClose={asking.onClose} title="Add an operator">
      {opened && <Form {...asking} />}
    </Dialog>
  )
}

function Form({ onClose, onAdded }: Asking) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const keyOf = useIdempotencyKey()
  const queryClient = useQueryClient()
  const add = useMutation({
    mutationFn: (input: { readonly name: string; readonly email: string }) =>
      addOperator({ ...input, idempotencyKey: keyOf(input) }),
    onSuccess: async (added) => {
      await queryClient.invalidateQueries({ queryKey: operatorsQuery.queryKey })
      onAdded(added)
      onClose()
    },
  })
  const mistake = (pointer: string) => {
    const message = isProblem(add.error) ? add.error.mistakeAt(pointer) : null
    return message === null ? null : capitalized(plainText(message))
  }
  const taken = isProblem(add.error, 'email_taken') ? add.error.message : null
  const atFields = mistake('/name') ?? mistake('/email') ?? taken
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate({ name: name.trim(), email: email.trim() })
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          required
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={mistake('/name')}
          data-autofocus
        />
        <TextInput
          label="E-mail address"
          type="email"
          required
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={mistake('/email') ?? taken}
        />
        {add.isError && atFields === null && <Failure error={add.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending}>
            Add operator
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
