import { Button, Card, Group, Stack, Title } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { DetailedWebhookSummary } from '../../../../api/webhookSummaries.ts'
import type { WebhookVersion } from '../../../../model/webhook.ts'
import { Loading } from '../../../../shared/states.tsx'
import { useWorkspace } from '../../../../workspace/workspace.tsx'
import { Details } from './Details.tsx'

const EditForm = lazy(async () => ({ default: (await import('./EditForm.tsx')).EditForm }))

/** The settings of a webhook, to read and edit. */
export function SettingsCard(props: {
  readonly version: WebhookVersion
  readonly summary: DetailedWebhookSummary | null
}) {
  const { version, summary } = props
  const { mayChange, service } = useWorkspace()
  // The version that the form started from. The page keeps refreshing, and the form must detect conflicting changes.
  const [edited, setEdited] = useState<WebhookVersion | null>(null)
  return (
    <Card withBorder component="section" p={{ base: 'sm', sm: 'lg' }}>
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2}>Settings</Title>
          {mayChange && edited === null && (
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPencil size={15} />}
              onClick={() => setEdited(version)}
            >
              Edit {service.features.noun}
            </Button>
          )}
        </Group>
        {edited === null ? (
          <Details webhook={version.webhook} summary={summary} />
        ) : (
          <Suspense fallback={<Loading />}>
            <EditForm began={edited} onEnd={() => setEdited(null)} />
          </Suspense>
        )}
      </Stack>
    </Card>
  )
}
