import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { attemptHelp } from '../../../model/attemptHelp.ts'
import type { Attempt } from '../../../model/delivery.ts'
import { newestFailure } from '../../../model/newestFailure.ts'
import { spanText } from '../../../model/spanText.ts'
import { capitalized, withArticle } from '../../../model/words.ts'
import { Time } from '../../../shared/Time.tsx'
import { fullTime } from '../../../shared/time.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { RECOVER } from './recover/recoverSection.ts'
import { useRecentDeliveries } from './useRecentDeliveries.ts'

/** Explains that a webhook is failing: since when, the latest error, and what to do. */
export function FailingNotice({ webhookId, since }: { readonly webhookId: string; readonly since: string }) {
  const { ref, service, rules, mayChange } = useWorkspace()
  const { noun, canRetry, canRecover } = service.features
  const { switched_off_after_s: offAfter } = rules
  const newest = newestFailure(useRecentDeliveries(webhookId).data?.items ?? [])
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={20} />} title="Deliveries are failing">
      <Stack gap="xs">
        <Text size="sm" component="div">
          Every attempt since <Time at={since} as="short" /> failed.
          {newest !== null && <Cause attempt={newest.attempt} />}
        </Text>
        {offAfter !== null && (
          <Text size="sm">
            {capitalized(withArticle(noun))} is disabled after {spanText(offAfter)} without a single success.
          </Text>
        )}
        <Group gap="sm">
          {newest !== null && (
            <Button
              size="xs"
              variant="default"
              renderRoot={(root) => (
                <Link
                  {...root}
                  to="/w/$ws/webhooks/$id/deliveries/$did"
                  params={{ ws: ref, id: webhookId, did: newest.delivery.id }}
                />
              )}
            >
              Open delivery
            </Button>
          )}
          {mayChange && (canRetry || canRecover) && (
            <Anchor href={`#${RECOVER}`} size="sm" underline="always">
              {canRetry && canRecover
                ? 'Retry or recover deliveries'
                : canRetry
                  ? 'Retry pending deliveries'
                  : 'Recover deliveries'}
            </Anchor>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}

/** The latest error, and the first step to fix it. */
function Cause({ attempt }: { readonly attempt: Attempt }) {
  const { error, statusCode, startedAt } = attempt
  // Without the response, since the advice would refer to a body that this page does not show.
  const { short, steps } = attemptHelp({ error, statusCode }, fullTime(startedAt))
  return (
    <>
      {' Latest failure: '}
      <Text span inherit fw={600}>
        {short}
      </Text>
      {'. '}
      {steps[0]}
    </>
  )
}
