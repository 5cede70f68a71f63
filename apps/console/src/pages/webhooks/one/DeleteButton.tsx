import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { isProblem } from '../../../api/problem.ts'
import type { Webhook } from '../../../model/webhook.ts'
import { showDone } from '../../../shared/notify.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

const DeleteQuestion = lazy(async () => ({ default: (await import('./DeleteQuestion.tsx')).DeleteQuestion }))

/** @param onDeleted stops further reads of the webhook */
export function DeleteButton(props: { readonly webhook: Webhook; readonly onDeleted: () => void }) {
  const { webhook, onDeleted } = props
  const { id: ws, ref, service } = useWorkspace()
  const { noun } = service.features
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [opened, { open, close }] = useDisclosure(false)
  const [ever, setEver] = useState(false)
  if (opened && !ever) setEver(true)
  const remove = useMutation({
    mutationFn: async () => {
      try {
        await service.deleteWebhook({ id: webhook.id })
      } catch (error) {
        // It is already deleted, so the goal is reached.
        if (!isProblem(error) || error.status !== 404) throw error
      }
    },
    onSuccess: async () => {
      onDeleted()
      showDone(`The ${noun} was deleted.`)
      await navigate({ to: `/w/${ref}/webhooks` })
      queryClient.removeQueries({ queryKey: ['webhook', ws, webhook.id] })
      queryClient.removeQueries({ queryKey: ['webhook-summary', ws, webhook.id] })
      await queryClient.invalidateQueries({ queryKey: ['webhooks', ws] })
    },
  })
  return (
    <>
      <Button color="red" variant="light" onClick={open}>
        Delete {noun}
      </Button>
      {ever && (
        <Suspense>
          <DeleteQuestion
            webhook={webhook}
            opened={opened}
            onClose={close}
            onConfirm={() => remove.mutate()}
            pending={remove.isPending}
            error={remove.error}
          />
        </Suspense>
      )}
    </>
  )
}
