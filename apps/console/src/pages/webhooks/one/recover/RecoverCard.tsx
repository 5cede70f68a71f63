import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconRestore } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { DetailedWebhookSummary } from '../../../../api/webhookSummaries.ts'
import { recoverText } from '../../../../model/sendWords.ts'
import { failedWordOf } from '../../../../model/service.ts'
import type { Webhook } from '../../../../model/webhook.ts'
import { Loading } from '../../../../shared/states.tsx'
import { useWorkspace } from '../../../../workspace/workspace.tsx'
import { beforeSending } from '../../stateWords.ts'
import { RetryPending } from './RetryPending.tsx'
import { RECOVER } from './recoverSection.ts'

// Rarely needed on this page.
const RecoverDialog = lazy(async () => ({ default: (await import('./RecoverDialog.tsx')).RecoverDialog }))
const RecoveryProgress = lazy(async () => ({
  default: (await import('./RecoveryProgress.tsx')).RecoveryProgress,
}))

/** Height of the sticky header. */
const HEAD_PX = 72

/** Actions after the receiver is fixed: retries pending deliveries, and recovers failed ones. */
export function RecoverCard(props: { readonly webhook: Webhook; readonly summary: DetailedWebhookSummary }) {
  const { webhook, summary } = props
  const workspace = useWorkspace()
  const { canRetry, canRecover } = workspace.service.features
  const [asked, { open, close }] = useDisclosure(false)
  const [ever, setEver] = useState(false)
  if (asked && !ever) setEver(true)
  const [startedId, setStartedId] = useState<string | null>(null)
  if (!canRetry && !canRecover) return null
  const blocked = beforeSending(webhook, workspace, canRecover ? 'recover deliveries' : 'retry deliveries')
  const recoveryId = startedId ?? summary.latest_recovery_id
  return (
    <Card
      withBorder
      component="section"
      p={{ base: 'sm', sm: 'lg' }}
      id={RECOVER}
      style={{ scrollMarginTop: HEAD_PX }}
    >
      <Stack gap="sm">
        <Title order={2}>Recover</Title>
        {blocked !== null && <Text size="sm">{blocked}</Text>}
        {canRetry && <RetryPending {...props} blocked={blocked !== null} />}
        {canRecover && (
          <Group justify="space-between" gap="sm">
            <Text size="sm">
              After you fix the receiver, {recoverText(failedWordOf(workspace.service.features))}.
            </Text>
            <Button
              variant="default"
              leftSection={<IconRestore size={16} />}
              disabled={blocked !== null}
              onClick={open}
            >
              Recover deliveries…
            </Button>
          </Group>
        )}
        {canRecover && recoveryId !== null && (
          <Suspense fallback={<Loading rows={1} />}>
            <RecoveryProgress key={recoveryId} webhookId={webhook.id} id={recoveryId} />
          </Suspense>
        )}
      </Stack>
      {ever && (
        <Suspense fallback={null}>
          <RecoverDialog
            webhook={webhook}
            opened={asked}
            onClose={close}
            onStarted={(id) => {
              setStartedId(id)
              close()
            }}
          />
        </Suspense>
      )}
    </Card>
  )
}
