import { Alert, Text } from '@mantine/core'
import { IconHourglass } from '@tabler/icons-react'
import type { ProblemError } from '../../../api/problem.ts'
import { Countdown } from '../../../shared/Time.tsx'

/** The minute's tests and redeliveries are used up. @param at when the refusal came, Unix ms */
export function TooManySends({ problem, at }: { readonly problem: ProblemError; readonly at: number }) {
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
        A workspace can send 10 tests and redeliveries a minute, all of its members and keys together.
        {seconds !== null && (
          <>
            {' '}
            The next one can go out in:{' '}
            <Countdown to={new Date(at + seconds * 1_000).toISOString()} over="now" />
          </>
        )}
      </Text>
    </Alert>
  )
}
