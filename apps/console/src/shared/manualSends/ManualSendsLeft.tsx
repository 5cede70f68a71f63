import { Text } from '@mantine/core'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { manualSends } from './manualSends.ts'

/** How many tests and redeliveries the workspace has left. @param remaining `null`: it is not known */
export function ManualSendsLeft({ remaining }: { readonly remaining: number | null }) {
  const { rules, service } = useWorkspace()
  const { manual_sends_per_minute: limit } = rules
  if (remaining === null || limit === null) return null
  return (
    <Text size="sm" c="dimmed" className="ph-numbers">
      {remaining} of {limit} {manualSends(service.features)} left this minute
    </Text>
  )
}
