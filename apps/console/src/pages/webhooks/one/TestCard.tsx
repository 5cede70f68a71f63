import { Card, Stack, Text, Title } from '@mantine/core'
import { isOn, type Webhook } from '../../../model/webhook.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { shownState } from '../stateWords.ts'
import { TestAndWatch } from '../test/TestAndWatch.tsx'

export function TestCard({ webhook }: { readonly webhook: Webhook }) {
  const { suspended, service, rules } = useWorkspace()
  const { noun, isSigned } = service.features
  const { manual_sends_per_minute: limit } = rules
  const state = shownState(webhook, suspended)
  return (
    <Card withBorder component="section" p={{ base: 'sm', sm: 'lg' }}>
      <Stack gap="sm">
        <Title order={2}>Try it</Title>
        <Text size="sm">
          A test goes to this {noun} alone{isSigned && ', signed like all others'}. It is sent once and is not
          in the figures.
          {limit !== null && ` It counts toward the limit of ${limit} manual sends a minute.`}
        </Text>
        <TestAndWatch
          webhookId={webhook.id}
          eventTypes={webhook.eventTypes}
          blocked={isOn(state) ? null : `Tests can be sent while the ${noun} is on. It is ${state.kind}.`}
        />
      </Stack>
    </Card>
  )
}
