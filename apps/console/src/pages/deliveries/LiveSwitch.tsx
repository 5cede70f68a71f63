import { Group, Switch, Text } from '@mantine/core'
import type { LiveState } from './useLive.ts'

const SAID: Readonly<Record<LiveState, { readonly color: string; readonly text: string }>> = {
  connected: { color: 'var(--ph-good)', text: 'connected' },
  connecting: { color: 'var(--ph-wait)', text: 'connecting' },
  polling: { color: 'var(--ph-wait)', text: 'updated every 5 s' },
  paused: { color: 'var(--mantine-color-dimmed)', text: 'paused' },
}

/** Switch for live updates, and their connection state. */
export function LiveSwitch(props: {
  readonly on: boolean
  readonly state: LiveState
  readonly onChange: (on: boolean) => void
}) {
  const { color, text } = SAID[props.state]
  return (
    <Group gap="xs" wrap="nowrap">
      <Switch
        label="Live"
        checked={props.on}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <Group gap={6} wrap="nowrap" role="status" aria-label={`Live updates: ${text}`}>
        <span className="ph-dot" data-pulse={props.state === 'connected'} style={{ background: color }} />
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </Group>
    </Group>
  )
}
