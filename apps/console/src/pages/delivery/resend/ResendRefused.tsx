import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { isProblem } from '../../../api/problem.ts'
import { Dialog } from '../../../shared/Dialog.tsx'
import { TooManySends } from '../../../shared/manualSends/TooManySends.tsx'
import { Failure } from '../../../shared/states.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Why a resend was rejected, and what to do. */
export function ResendRefused(props: {
  readonly error: unknown
  /** Time of the request, Unix ms. */
  readonly at: number
  readonly webhookId: string
  readonly onClose: () => void
}) {
  const { error, onClose } = props
  return (
    <Dialog opened={error !== null} onClose={onClose} title="The delivery was not sent">
      <Stack>
        {error !== null && <Reason {...props} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function Reason(props: { readonly error: unknown; readonly at: number; readonly webhookId: string }) {
  const { error, at, webhookId } = props
  const { ref, service } = useWorkspace()
  const { noun } = service.features
  if (isProblem(error, 'webhook_not_on')) {
    return (
      <Text size="sm">
        <Untrusted>{error.message}</Untrusted> Go to{' '}
        <Anchor
          underline="always"
          renderRoot={(root) => <Link {...root} to={`/w/${ref}/webhooks/${webhookId}`} />}
        >
          the {noun}
        </Anchor>
        , then come back and try again.
      </Text>
    )
  }
  if (isProblem(error, 'delivery_not_finished')) {
    return (
      <Text size="sm">
        The delivery is already being sent, perhaps by another user. Its result will appear on this page.
      </Text>
    )
  }
  if (isProblem(error, 'delivery_not_dead')) {
    return (
      <Text size="sm">
        <Untrusted>{error.message}</Untrusted> Another user may have just replayed it.
      </Text>
    )
  }
  if (isProblem(error, 'delivery_not_pending')) {
    return <Text size="sm">The delivery has finished by now. Close this dialog to see its result.</Text>
  }
  if (isProblem(error, 'rate_limited')) return <TooManySends problem={error} at={at} />
  return <Failure error={error} />
}
