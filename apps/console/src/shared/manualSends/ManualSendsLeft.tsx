import { Text } from '@mantine/core'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** How many tests and redeliveries the workspace has left. @param remaining `null`: it is not known */
export function ManualSendsLeft({ remaining }: { readonly remaining: number | null }) {
  const { rules } = useWorkspace()
  const { manual_sends_per_minute: limit } = rules
  if (remaining === null || limit === null) return null
  return (
    <Text size="sm" c="dimmed" className="ph-numbers">
      {remaining} of {limit} manual sends left this minute
    </Text>
  )
}
