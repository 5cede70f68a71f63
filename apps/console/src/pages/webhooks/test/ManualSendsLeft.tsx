import { Text } from '@mantine/core'

/** Tests and redeliveries that a workspace may send in a minute. */
export interface SendLimit {
  readonly limit: number
  readonly remaining: number
}

const PER_MINUTE = 10

/** @param remaining as the latest answer told it, where `limit` is not known */
export function ManualSendsLeft(props: {
  readonly limit: SendLimit | null
  readonly remaining: number | null
}) {
  const remaining = props.limit?.remaining ?? props.remaining
  if (remaining === null) return null
  return (
    <Text size="sm" c="dimmed" className="ph-numbers">
      {remaining} of {props.limit?.limit ?? PER_MINUTE} left this minute
    </Text>
  )
}
