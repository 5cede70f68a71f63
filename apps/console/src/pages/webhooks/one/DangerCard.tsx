import { Card, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Webhook } from '../../../model/webhook.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { DeleteButton } from './DeleteButton.tsx'
import { DisableButton } from './DisableButton.tsx'

/** Actions that stop deliveries temporarily or permanently. */
export function DangerCard(props: { readonly webhook: Webhook; readonly onDeleted: () => void }) {
  const { webhook, onDeleted } = props
  const { canDisable, noun } = useWorkspace().service.features
  return (
    <Card withBorder component="section" p={{ base: 'sm', sm: 'lg' }}>
      <Stack gap="md">
        <Title order={2}>Stop sending</Title>
        {canDisable && webhook.state.kind !== 'off' && (
          <Way
            title={`Disable the ${noun}`}
            text="Pending deliveries are canceled. You can enable it again at any time."
            button={<DisableButton webhook={webhook} />}
          />
        )}
        <Way
          title={`Delete the ${noun}`}
          text="It is deleted immediately and permanently, with its secret. Pending deliveries are canceled."
          button={<DeleteButton webhook={webhook} onDeleted={onDeleted} />}
        />
      </Stack>
    </Card>
  )
}

const Way = (props: { readonly title: string; readonly text: string; readonly button: ReactNode }) => (
  <Group justify="space-between" gap="sm">
    <Stack gap={0} flex="1 1 240px">
      <Text size="sm" fw={600}>
        {props.title}
      </Text>
      <Text size="sm" c="dimmed">
        {props.text}
      </Text>
    </Stack>
    {props.button}
  </Group>
)
