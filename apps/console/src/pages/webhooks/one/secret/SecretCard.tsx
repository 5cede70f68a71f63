import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconRefresh } from '@tabler/icons-react'
import type { DetailedWebhookSummary } from '../../../../api/webhookSummaries.ts'
import type { Webhook } from '../../../../model/webhook.ts'
import { Time } from '../../../../shared/Time.tsx'
import { useWorkspace } from '../../../../workspace/workspace.tsx'
import { Overlap } from './Overlap.tsx'
import { RotateDialog } from './RotateDialog.tsx'

/** The signing secrets of a webhook: their age, rotation, and a link to the verification guide. */
export function SecretCard(props: {
  readonly webhook: Webhook
  readonly summary: DetailedWebhookSummary | null
  /** Whether the verification guide is shown. */
  readonly guide: boolean
  readonly guideId: string
  readonly onGuide: () => void
}) {
  const { webhook, summary, guide, guideId, onGuide } = props
  const { mayChange } = useWorkspace()
  const [rotating, { open, close }] = useDisclosure(false)
  const current = summary?.secrets.find(({ expires_at }) => expires_at === null)
  const ending = summary?.secrets.filter(({ expires_at }) => expires_at !== null) ?? []
  return (
    <Card withBorder component="section" p={{ base: 'sm', sm: 'lg' }}>
      <Stack gap="sm" align="flex-start">
        <Title order={2}>Signing secret</Title>
        <Text size="sm" component="div">
          The secret signs every request. It cannot be shown again.
          {current !== undefined && (
            <>
              {' '}
              The current secret was created <Time at={current.created_at} as="relative" />.
            </>
          )}
        </Text>
        {ending.length > 0 && <Overlap ending={ending} />}
        <Group gap="sm">
          {mayChange && (
            <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={open}>
              Rotate secret
            </Button>
          )}
          <Anchor
            component="button"
            type="button"
            size="sm"
            aria-expanded={guide}
            {...(guide ? { 'aria-controls': guideId } : {})}
            onClick={onGuide}
          >
            {guide ? 'Hide how to verify signatures' : 'How to verify signatures'}
          </Anchor>
        </Group>
        {mayChange && <RotateDialog webhook={webhook} opened={rotating} onClose={close} />}
      </Stack>
    </Card>
  )
}
