import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isProblem } from '../../../api/problem.ts'
import { Failure } from '../../../shared/states.tsx'
import { Countdown } from '../../../shared/Time.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Why a delivery was not sent again, and what to do now. */
export function ResendRefused(props: {
  readonly error: unknown
  readonly webhookId: string
  readonly onClose: () => void
}) {
  const { error, onClose } = props
  return (
    <Modal opened={error !== null} onClose={onClose} title="It was not sent">
      <Stack>
        {error !== null && <Reason {...props} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Reason({ error, webhookId }: { readonly error: unknown; readonly webhookId: string }) {
  const { ref, service } = useWorkspace()
  const { noun } = service.features
  if (isProblem(error, 'webhook_not_on')) {
    return (
      <Text size="sm">
        {error.message} Go to{' '}
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
        {error.message} Only a dead delivery can be replayed; perhaps somebody has just done so.
      </Text>
    )
  }
  if (isProblem(error, 'rate_limited')) return <Limited seconds={error.retryAfterSeconds ?? 60} />
  return <Failure error={error} />
}

function Limited({ seconds }: { readonly seconds: number }) {
  const [until, setUntil] = useState(() => new Date(Date.now() + seconds * 1000).toISOString())
  useEffect(() => setUntil(new Date(Date.now() + seconds * 1000).toISOString()), [seconds])
  return (
    <Text size="sm" component="div">
      Tests and redeliveries of a workspace share a limit for each minute, and it is used up. You can send it{' '}
      <Countdown to={until} over="now" before="in " />.
    </Text>
  )
}
