import { Alert, Group, Loader, Text } from '@mantine/core'
import { IconClockHour4, IconHourglassEmpty, IconPlayerPause, IconSkull } from '@tabler/icons-react'
import { attemptsLeft } from '../../model/attemptsLeft.ts'
import { type Delivery, latestAttempt } from '../../model/delivery.ts'
import { spanText } from '../../model/spanText.ts'
import { Countdown } from '../../shared/Time.tsx'
import { useNow } from '../../shared/useNow.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { useWaitsFor } from '../deliveries/useWaitsFor.ts'

/** What happens next with a delivery that has not arrived, or why nothing does. */
export function NextStep({ delivery }: { readonly delivery: Delivery }) {
  const { rules } = useWorkspace()
  const { status, cancelReason, nextAttemptAt } = delivery
  if (status === 'pending' && nextAttemptAt !== null) {
    return <Pending delivery={delivery} nextAttemptAt={nextAttemptAt} />
  }
  if (status === 'dead' || status === 'failed') {
    return latestAttempt(delivery)?.trigger === 'test' ? <FailedTest /> : <UsedUp status={status} />
  }
  if (cancelReason === 'expired') {
    return (
      <Alert
        color="gray"
        variant="light"
        icon={<IconHourglassEmpty size={20} />}
        title="This delivery expired"
      >
        It was still pending after {spanText(rules.retention_s)}, which is how long deliveries are kept. It is
        removed 7 days after it was canceled.
      </Alert>
    )
  }
  return null
}

function FailedTest() {
  return (
    <Alert color="gray" variant="light" icon={<IconSkull size={20} />} title="This test failed">
      A test is sent once and never retried. Fix what failed at the receiver, then send another one.
    </Alert>
  )
}

/** Nothing more is tried, unless somebody asks for it. */
function UsedUp({ status }: { readonly status: 'dead' | 'failed' }) {
  const { maySend, mayChange, service } = useWorkspace()
  const { noun, resend, canRecover } = service.features
  const canResend = resend?.from.includes(status) === true
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconSkull size={20} />}
      title={status === 'dead' ? 'This delivery is dead' : 'This delivery failed'}
    >
      Nothing is tried any more.
      {canResend && (
        <>
          {' '}
          Fix what failed at the receiver, then {!maySend && 'ask an owner to '}
          {resend.operation} it: it{' '}
          {resend.attempts === 'schedule' ? 'starts over with all of its attempts' : 'is sent once more'}.
        </>
      )}
      {canRecover && mayChange && ` To send all that failed again, recover them on the page of the ${noun}.`}
    </Alert>
  )
}

function Pending({
  delivery,
  nextAttemptAt,
}: {
  readonly delivery: Delivery
  readonly nextAttemptAt: string
}) {
  const { suspended, rules, service } = useWorkspace()
  const waitsFor = useWaitsFor(delivery.webhookId)(delivery.webhookId)
  const now = useNow(1_000)
  const left = attemptsLeft(delivery, rules.attempts)
  if (delivery.waitingFor === 'sender' && !suspended) {
    return (
      <Alert
        color="blue"
        variant="light"
        icon={<IconPlayerPause size={20} />}
        title="This delivery waits for us, not for your server"
        role="status"
      >
        We cannot send at the moment because of a fault on our side. No attempt is used up, and nothing counts
        against this webhook. Sending resumes automatically once the fault is fixed.
      </Alert>
    )
  }
  if (waitsFor === 'resume') {
    const { noun } = service.features
    return (
      <Alert
        color="yellow"
        variant="light"
        icon={<IconPlayerPause size={20} />}
        title={`This delivery waits while the ${noun} is paused`}
      >
        {suspended
          ? 'It waits until the workspace is resumed.'
          : `It is sent after somebody resumes the ${noun}.`}
      </Alert>
    )
  }
  if (Date.parse(nextAttemptAt) <= now) {
    return (
      <Alert color="blue" variant="light" icon={<Loader size={18} />} title="Due now" role="status">
        {waitsFor === 'limit'
          ? `The attempt is under way, or waits for the limit of the ${service.features.noun}.`
          : 'The attempt is under way, or waits for its turn.'}{' '}
        What comes of it appears here.
      </Alert>
    )
  }
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconClockHour4 size={20} />}
      title={
        <Group gap={4} component="span">
          Next attempt <Countdown to={nextAttemptAt} over="now" before="in " />
        </Group>
      }
    >
      <Text size="sm">
        {left !== null && (left === 1 ? 'It is the last one. ' : `Up to ${left} more if they fail. `)}
        Once the receiver answers 2xx, it is done.
      </Text>
    </Alert>
  )
}
