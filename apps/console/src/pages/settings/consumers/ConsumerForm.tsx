import { Button, Group, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useRef } from 'react'
import type { ConsumersApi } from '../../../api/consumers.ts'
import { isProblem } from '../../../api/problem.ts'
import { capitalized } from '../../../model/words.ts'
import { Failure } from '../../../shared/states.tsx'
import { plainText } from '../../../shared/untrusted/pieces.ts'
import { useFocusOnMistake } from '../../../shared/useFocusOnMistake.ts'

/** Changes a consumer, then refreshes the list. */
export function useConsumerChange(api: ConsumersApi, change: () => Promise<void>, onDone: () => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: onDone,
    // Also after an error: another member may have deleted it.
    onSettled: () => queryClient.invalidateQueries({ queryKey: api.queryKey }),
  })
}

/** The service's error for a member of the input, as a sentence; `null`: none. */
export function mistakeAt(error: unknown, pointer: string): string | null {
  const message = isProblem(error) ? error.mistakeAt(pointer) : null
  return message === null ? null : `${capitalized(plainText(message)).replace(/\.$/, '')}.`
}

/** Form of a dialog, with errors at its fields or below. */
export function ConsumerForm(props: {
  readonly action: string
  readonly change: ReturnType<typeof useConsumerChange>
  /** Whether a field is invalid before submission. */
  readonly isWrong: boolean
  /** Whether a field shows the service's error. */
  readonly isShown: boolean
  readonly onTried: () => void
  readonly onCancel: () => void
  readonly children: ReactNode
}) {
  const { action, change, isWrong, isShown, onTried, onCancel, children } = props
  const form = useRef<HTMLFormElement>(null)
  const focusOnMistake = useFocusOnMistake(form)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onTried()
    if (isWrong) focusOnMistake()
    else change.mutate(undefined, { onError: focusOnMistake })
  }
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack>
        {children}
        {change.isError && !isShown && <Failure error={change.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
