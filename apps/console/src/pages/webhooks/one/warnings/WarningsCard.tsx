import { Alert, Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { serverNow } from '../../../../api/serverNow.ts'
import { spanText } from '../../../../model/spanText.ts'
import type { WarnRule, Webhook } from '../../../../model/webhook.ts'
import { showDone, showFailure } from '../../../../shared/notify.ts'
import { Loading } from '../../../../shared/states.tsx'
import { Time } from '../../../../shared/Time.tsx'
import { useWorkspace } from '../../../../workspace/workspace.tsx'
import { useShowVersion, useStateChange } from '../useWebhookChange.ts'
import { rulesWarning, ruleText } from './ruleText.ts'

const RuleForm = lazy(async () => ({ default: (await import('./RuleForm.tsx')).RuleForm }))

/** The early-warning rule of a webhook, and its snooze. */
export function WarningsCard({ webhook }: { readonly webhook: Webhook }) {
  const { ref, mayChange, rules, service } = useWorkspace()
  const { noun } = service.features
  const { switched_off_after_s: offAfter } = rules
  const [editing, setEditing] = useState(false)
  const usual = rulesWarning(rules)
  const rule: WarnRule | null = webhook.warn ?? usual
  return (
    <Card withBorder component="section" p={{ base: 'sm', sm: 'lg' }}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>Early warnings</Title>
          {mayChange && !editing && (
            <Button variant="default" size="xs" onClick={() => setEditing(true)}>
              Change rule
            </Button>
          )}
        </Group>
        <Text size="sm">
          An early warning is an e-mail to all owners of this workspace, minutes after the {noun} starts
          failing.{' '}
          {offAfter !== null &&
            `It comes before the ${noun} is disabled, which happens after ${spanText(offAfter)} without a success. `}
          Owners can turn off these e-mails in{' '}
          <Anchor component={Link} to={`/w/${ref}/settings`} inherit underline="always">
            Settings
          </Anchor>
          .
        </Text>
        {webhook.alertedAt !== null && (
          <Alert color="red" variant="light">
            An early warning was sent <Time at={webhook.alertedAt} as="relative" />.
          </Alert>
        )}
        {editing ? (
          <Suspense fallback={<Loading rows={2} />}>
            <RuleForm webhook={webhook} usual={usual} onEnd={() => setEditing(false)} />
          </Suspense>
        ) : (
          <Text size="sm">
            {ruleText(rule)}
            {webhook.warn === null && rule !== null && ' This is the default rule.'}
          </Text>
        )}
        <Snooze webhook={webhook} />
      </Stack>
    </Card>
  )
}

const HOUR_S = 3_600
const SPANS = [HOUR_S, 24 * HOUR_S, 7 * 24 * HOUR_S]

function Snooze({ webhook }: { readonly webhook: Webhook }) {
  const { mayChange, service } = useWorkspace()
  const { noun } = service.features
  const end = useStateChange(
    webhook.id,
    { snoozedUntil: null },
    { done: 'The snooze was ended.', failed: 'The snooze was not ended' },
  )
  const { snoozedUntil } = webhook
  if (snoozedUntil !== null && Date.parse(snoozedUntil) > serverNow()) {
    return (
      <Group justify="space-between">
        <Text size="sm">
          Snoozed until <Time at={snoozedUntil} />: no early warnings are sent.
        </Text>
        {mayChange && (
          <Button variant="default" size="xs" loading={end.isPending} onClick={() => end.mutate()}>
            End snooze
          </Button>
        )}
      </Group>
    )
  }
  if (!mayChange) return null
  return (
    <Group gap="xs">
      <Text size="sm">Snooze warnings about this {noun} for</Text>
      {SPANS.map((seconds) => (
        <SnoozeButton key={seconds} webhook={webhook} seconds={seconds} />
      ))}
    </Group>
  )
}

function SnoozeButton({ webhook, seconds }: { readonly webhook: Webhook; readonly seconds: number }) {
  const span = spanText(seconds)
  const snooze = useSnooze(webhook.id, seconds, span)
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Snooze warnings for ${span}`}
      loading={snooze.isPending}
      onClick={() => snooze.mutate()}
    >
      {span}
    </Button>
  )
}

function useSnooze(id: string, seconds: number, span: string) {
  const { service } = useWorkspace()
  const show = useShowVersion()
  return useMutation({
    mutationFn: () => {
      const snoozedUntil = new Date(serverNow() + seconds * 1_000).toISOString()
      return service.updateWebhook({ id, changes: { snoozedUntil }, etag: null })
    },
    onSuccess: (version) => {
      show(version)
      showDone(`Warnings are snoozed for ${span}.`)
    },
    onError: (error) => showFailure('Warnings were not snoozed', error),
  })
}
