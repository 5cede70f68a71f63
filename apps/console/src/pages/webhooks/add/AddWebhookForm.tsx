import { Button, Card, Group, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { webhookQuery } from '../../../api/webhooks.ts'
import { type Draft, EMPTY_DRAFT, inputOf, missingIn } from '../../../model/draft.ts'
import type { WebhookInput, WebhookWithSecret } from '../../../model/webhook.ts'
import { Failure } from '../../../shared/states.tsx'
import { useFocusOnMistake } from '../../../shared/useFocusOnMistake.ts'
import { useIdempotencyKey } from '../../../shared/useIdempotencyKey.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { isGeneral, refusalsOf } from '../form/refusals.ts'
import { WebhookFields } from '../form/WebhookFields.tsx'

export function AddWebhookForm({ onMade }: { readonly onMade: (made: WebhookWithSecret) => void }) {
  const workspace = useWorkspace()
  const { id: ws, ref, service } = workspace
  const { noun, canTakeAllTypes } = service.features
  const queryClient = useQueryClient()
  const keyFor = useIdempotencyKey()
  const form = useRef<HTMLFormElement>(null)
  const [draft, setDraft] = useState<Draft>({ ...EMPTY_DRAFT, allTypes: canTakeAllTypes })
  const [tried, setTried] = useState(false)
  const create = useMutation({
    // The response contains a secret, which must not stay in the cache.
    gcTime: 0,
    mutationFn: (input: WebhookInput) => service.createWebhook({ input, idempotencyKey: keyFor(input) }),
    onSuccess: (made) => {
      void queryClient.invalidateQueries({ queryKey: ['webhooks', ws] })
      void queryClient.prefetchQuery(webhookQuery(workspace, made.webhook.id))
      onMade(made)
    },
  })
  const refusals = refusalsOf({ draft, error: create.error, sent: create.variables, tried })
  const focusOnMistake = useFocusOnMistake(form)
  const submit = () => {
    setTried(true)
    if (Object.keys(missingIn(draft)).length > 0) focusOnMistake()
    else create.mutate(inputOf(draft), { onError: focusOnMistake })
  }
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!create.isPending) submit()
      }}
    >
      <Card withBorder p={{ base: 'sm', sm: 'lg' }}>
        <Stack gap="lg">
          <WebhookFields draft={draft} onChange={setDraft} refusals={refusals} />
          {create.isError && isGeneral(create.error) && <Failure error={create.error} />}
          <Group>
            <Button type="submit" loading={create.isPending}>
              Add {noun}
            </Button>
            <Button component={Link} to={`/w/${ref}/webhooks`} variant="default">
              Cancel
            </Button>
          </Group>
        </Stack>
      </Card>
    </form>
  )
}
