import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { isProblem } from '../../../api/problem.ts'
import { Dialog } from '../../../shared/Dialog.tsx'
import { TooManySends } from '../../../shared/manualSends/TooManySends.tsx'
import { Failure } from '../../../shared/states.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Why a delivery was not sent again, and what to do now. */
export function ResendRefused(props: {
  readonly error: unknown
  /** When it was asked for, Unix ms. */
  readonly at: number
  readonly webhookId: string
  readonly onClose: () => void
}) {
  const { error, onClose } = props
  return (
    <Dialog opened={error !== null} onClose={onClose} title="It was not sent">
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
        , then send it from here again.
      </Text>
    )
  }
  if (isProblem(error, 'delivery_not_finished')) {
    return (
      <Text size="sm">
        It is on its way at this moment: perhaps somebody else has just sent it. Watch it here.
      </Text>
    )
  }
  if (isProblem(error, 'delivery_not_dead')) {
    return (
      <Text size="sm">
        <Untrusted>{error.message}</Untrusted> Only a dead delivery can be replayed; perhaps somebody has just
        done so.
      </Text>
    )
  }
  if (isProblem(error, 'delivery_not_pending')) {
    return <Text size="sm">It has ended meanwhile. Close this to see how.</Text>
  }
  if (isProblem(error, 'rate_limited')) return <TooManySends problem={error} at={at} />
  return <Failure error={error} />
}
