import { Alert, Anchor, Group, List, Loader, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { attemptHelp, hasBody, mayBeSecret } from '../../../model/attemptHelp.ts'
import { type Attempt, type Delivery, latestAttempt } from '../../../model/delivery.ts'
import { durationText, fullTime } from '../../../shared/time.ts'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Live result of a delivery that was just sent. */
export function WatchedDelivery({ delivery }: { readonly delivery: Delivery }) {
  const attempt = latestAttempt(delivery)
  return (
    <Stack gap="xs" aria-live="polite">
      {attempt === null ? (
        <Group gap="sm" wrap="nowrap">
          <Loader size={18} aria-hidden />
          <Text size="sm">Sending. Waiting for the response of your server.</Text>
        </Group>
      ) : attempt.error === null ? (
        <Outcome good title={`Delivered: ${attemptHelp(attempt).short}`}>
          Your server responded in {durationText(attempt.durationMs)}.
        </Outcome>
      ) : (
        <Outcome good={false} title={`Failed: ${attemptHelp(attempt).short}`}>
          <Untrusted>{attempt.error.message}</Untrusted>
          <Answer attempt={attempt} />
          <Advice attempt={attempt} />
        </Outcome>
      )}
      <DeliveryLink delivery={delivery} />
    </Stack>
  )
}

function Outcome(props: { readonly good: boolean; readonly title: string; readonly children: ReactNode }) {
  const { good, title, children } = props
  return (
    <Alert
      color={good ? 'green' : 'red'}
      variant="light"
      role="status"
      title={title}
      icon={good ? <IconCircleCheck size={18} /> : <IconCircleX size={18} />}
    >
      <Text size="sm" component="div">
        {children}
      </Text>
    </Alert>
  )
}

/** The start of a rejecting response, and its likely cause. */
function Answer({ attempt }: { readonly attempt: Attempt }) {
  const { response } = attempt
  const said = hasBody(response)
  return (
    <>
      {response !== null && said && response.body !== null && response.bodyEncoding === 'utf-8' && (
        <Text size="sm" component="div" mt={6} lineClamp={4}>
          Response: <Untrusted mono>{response.body}</Untrusted>
        </Text>
      )}
      {mayBeSecret(attempt) && (
        <Text size="sm" mt={6}>
          A wrong signing secret is a likely cause: your server needs the newest one. Check{' '}
          {said ? 'the response and ' : ''}the log of your server.
        </Text>
      )}
    </>
  )
}

/** Advice if there was no response, and a note about tests. */
function Advice({ attempt }: { readonly attempt: Attempt }) {
  const { noun } = useWorkspace().service.features
  const steps = attempt.statusCode === null ? attemptHelp(attempt, fullTime(attempt.startedAt)).steps : []
  return (
    <>
      {steps.length > 0 && (
        <List size="sm" mt={6}>
          {steps.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
      )}
      {attempt.trigger === 'test' && (
        <Text size="sm" mt={6}>
          A test is a single attempt. It is not retried, does not count in the metrics, and never disables the{' '}
          {noun}. Fix the problem, then send another test.
        </Text>
      )}
    </>
  )
}

function DeliveryLink({ delivery }: { readonly delivery: Delivery }) {
  const { ref } = useWorkspace()
  return (
    <Anchor
      component={Link}
      to={`/w/${ref}/webhooks/${delivery.webhookId}/deliveries/${delivery.id}`}
      size="sm"
    >
      Show the full request and response
    </Anchor>
  )
}
