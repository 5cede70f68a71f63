import { Card, Stack, Text, Title } from '@mantine/core'
import { isOn, STATE_NAMES, type Webhook } from '../../../model/webhook.ts'
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
        <Title order={2}>Test</Title>
        <Text size="sm">
          A test is a {isSigned && 'signed '}request to this {noun}. It is not retried and does not count in
          the metrics.
          {limit !== null && ` It counts toward the limit of ${limit} manual sends per minute.`}
        </Text>
        <TestAndWatch
          webhookId={webhook.id}
          eventTypes={webhook.eventTypes}
          blocked={
            isOn(state)
              ? null
              : `Tests can be sent only while the ${noun} is enabled. It is ${STATE_NAMES[state.kind]}.`
          }
        />
      </Stack>
    </Card>
  )
}
