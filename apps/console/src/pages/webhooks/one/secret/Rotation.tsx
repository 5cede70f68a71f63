import { Button, Group, List, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { spanText } from '../../../../model/spanText.ts'
import type { WebhookWithSecret } from '../../../../model/webhook.ts'
import { Failure } from '../../../../shared/states.tsx'
import { useIdempotencyKey } from '../../../../shared/useIdempotencyKey.ts'
import { useWorkspace } from '../../../../workspace/workspace.tsx'
import { SecretGuard } from '../../created/SecretGuard.tsx'
import { SecretOmitted } from '../../created/SecretOmitted.tsx'
import { SecretOnce } from '../../created/SecretOnce.tsx'

/** Explains the consequences of a rotation, rotates the secret, and shows the new one once. */
export function Rotation(props: {
  readonly webhookId: string
  readonly onBusy: (busy: boolean) => void
  readonly onClose: () => void
}) {
  const { webhookId, onBusy, onClose } = props
  const { id: ws, service, rules } = useWorkspace()
  const queryClient = useQueryClient()
  const keyFor = useIdempotencyKey()
  const [made, setMade] = useState<WebhookWithSecret | null>(null)
  const [stored, setStored] = useState(false)
  const rotate = useMutation({
    // The response contains a secret, which must not stay in the cache.
    gcTime: 0,
    mutationFn: () => service.rotateSecret({ id: webhookId, idempotencyKey: keyFor(webhookId) }),
    onMutate: () => onBusy(true),
    onError: () => onBusy(false),
    onSuccess: (answer) => {
      setMade(answer)
      void queryClient.invalidateQueries({ queryKey: ['webhook-summary', ws, webhookId] })
      void queryClient.invalidateQueries({ queryKey: ['webhook', ws, webhookId] })
    },
  })
  if (made === null) {
    return (
      <Stack>
        {rules.secret_overlap_s > 0 ? (
          <WithOverlap span={spanText(rules.secret_overlap_s)} />
        ) : (
          <WithoutOverlap />
        )}
        {rotate.isError && <Failure error={rotate.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={rotate.isPending}>
            Cancel
          </Button>
          <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
            Rotate secret
          </Button>
        </Group>
      </Stack>
    )
  }
  const done = () => {
    onBusy(false)
    onClose()
  }
  const { secret } = made
  if (secret === null) {
    return (
      <Stack>
        <SecretOmitted>Close this and rotate the secret.</SecretOmitted>
        <Group justify="flex-end">
          <Button onClick={done}>Close</Button>
        </Group>
      </Stack>
    )
  }
  return (
    <Stack>
      <SecretGuard active={!stored} />
      <SecretOnce secret={secret} stored={stored} onStored={setStored} />
      <Group justify="flex-end">
        <Button disabled={!stored} onClick={done}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}

const WithOverlap = ({ span }: { readonly span: string }) => (
  <Stack gap="xs">
    <Text size="sm">During the rotation, both secrets are valid:</Text>
    <List size="sm" type="ordered" spacing={4}>
      <List.Item>The new secret signs requests immediately. It is shown only once.</List.Item>
      <List.Item>
        The old secret also signs requests for {span}. Servers can verify requests with either secret.
      </List.Item>
      <List.Item>Update your server with the new secret within that time.</List.Item>
    </List>
  </Stack>
)

const WithoutOverlap = () => (
  <Stack gap="xs">
    <Text size="sm">
      The old secret stops signing immediately. Until your server has the new secret, it rejects requests.
      Rejected deliveries are retried.
    </Text>
    <Text size="sm">Be ready to update your server, or let it accept both secrets during the change.</Text>
  </Stack>
)
