import { Alert, Text } from '@mantine/core'
import { IconHourglass } from '@tabler/icons-react'
import type { ProblemError } from '../../api/problem.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { Countdown } from '../Time.tsx'
import { manualSends } from './manualSends.ts'

/** Shown when the rate limit of manual sends is reached. @param at time of the rejected request, Unix ms */
export function TooManySends({ problem, at }: { readonly problem: ProblemError; readonly at: number }) {
  const { rules, service } = useWorkspace()
  const { manual_sends_per_minute: limit } = rules
  const seconds = problem.retryAfterSeconds
  return (
    <Alert
      color="yellow"
      variant="light"
      role="alert"
      icon={<IconHourglass size={18} />}
      title="Rate limit reached"
    >
      <Text size="sm" component="div">
        A workspace can send {limit} {manualSends(service.features)} per minute. All members and API keys
        share this limit.
        {seconds !== null && (
          <>
            {' '}
            You can send the next one{' '}
            <Countdown to={new Date(at + seconds * 1_000).toISOString()} over="now" before="in " />.
          </>
        )}
      </Text>
    </Alert>
  )
}
