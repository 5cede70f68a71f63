import { Alert, Text } from '@mantine/core'
import { IconHourglass } from '@tabler/icons-react'
import type { ProblemError } from '../../api/problem.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { Countdown } from '../Time.tsx'
import { manualSends } from './manualSends.ts'

/** The minute's tests and redeliveries are used up. @param at when it was asked for, Unix ms */
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
      title="Too many for now"
    >
      <Text size="sm" component="div">
        A workspace can send {limit} {manualSends(service.features)} a minute, all of its members and API keys
        together.
        {seconds !== null && (
          <>
            {' '}
            The next one can go out{' '}
            <Countdown to={new Date(at + seconds * 1_000).toISOString()} over="now" before="in " />.
          </>
        )}
      </Text>
    </Alert>
  )
}
