import { Text, Tooltip } from '@mantine/core'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { manualSends } from './manualSends.ts'

/** The remaining manual sends of the workspace. @param remaining `null`: unknown */
export function ManualSendsLeft({ remaining }: { readonly remaining: number | null }) {
  const { rules, service } = useWorkspace()
  const { manual_sends_per_minute: limit } = rules
  if (remaining === null || limit === null) return null
  return (
    <Tooltip
      label={`Manual sends are ${manualSends(service.features)}. The workspace's members and API keys share this limit.`}
      events={{ hover: true, focus: true, touch: true }}
    >
      <Text size="sm" c="dimmed" className="ph-numbers">
        {remaining} of {limit} manual sends left this minute
      </Text>
    </Tooltip>
  )
}
