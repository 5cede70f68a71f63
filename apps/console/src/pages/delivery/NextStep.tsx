import { Alert, Group, Loader, Text } from '@mantine/core'
import { IconClockHour4, IconHourglassEmpty, IconPlayerPause, IconSkull } from '@tabler/icons-react'
import { attemptsLeft } from '../../model/attemptsLeft.ts'
import { attemptsMade, type Delivery, latestAttempt } from '../../model/delivery.ts'
import { recoverText, resendText } from '../../model/sendWords.ts'
import { spanText } from '../../model/spanText.ts'
import { Countdown } from '../../shared/Time.tsx'
import { useNow } from '../../shared/useNow.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { useWaitsFor } from '../deliveries/useWaitsFor.ts'

/** What happens next with an undelivered delivery, and what to do. */
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
        It was still pending after {spanText(rules.retention_s)}, the retention period of deliveries. It is
        removed 7 days after it was canceled.
      </Alert>
    )
  }
  return null
}

function FailedTest() {
  return (
    <Alert color="gray" variant="light" icon={<IconSkull size={20} />} title="This test failed">
      A test is sent once and never retried. Fix the receiver, then send another test.
    </Alert>
  )
}

/** Shown when no attempts are left. */
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
      There are no further retries.
      {canResend && (
        <>
          {' '}
          Fix the receiver, then {!maySend && 'ask an owner to '}
          {resendText(resend)}.
        </>
      )}
      {canRecover &&
        mayChange &&
        ` To ${recoverText(status)}, use “Recover deliveries” on the page of the ${noun}.`}
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
        title="This delivery waits because of a problem on our side"
        role="status"
      >
        We cannot send at the moment; your server is not the cause. No attempt is used, and no failure counts
        against this webhook. Sending resumes automatically once the problem is fixed.
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
        {suspended ? 'It waits until the workspace is resumed.' : `It is sent after the ${noun} is resumed.`}
      </Alert>
    )
  }
  if (Date.parse(nextAttemptAt) <= now) {
    return (
      <Alert color="blue" variant="light" icon={<Loader size={18} />} title="Due now" role="status">
        {waitsFor === 'limit'
          ? `The attempt is in progress, or waits for the limit of the ${service.features.noun}.`
          : 'The attempt is in progress, or will start within seconds.'}{' '}
        Its result will appear here.
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
          {attemptsMade(delivery) === 0 ? 'First attempt' : 'Next retry'}{' '}
          <Countdown to={nextAttemptAt} over="now" before="in " />
        </Group>
      }
    >
      <Text size="sm">
        {left !== null && (left === 1 ? 'This is the last attempt. ' : `Up to ${left} attempts are left. `)}
        The delivery succeeds once the receiver responds with 2xx.
      </Text>
    </Alert>
  )
}
