import { Card, Code, Group, Stack, Switch, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { consoleApi } from '../../api/clients.ts'
import { unwrap } from '../../api/send.ts'
import { useSession } from '../../api/session.ts'
import { spanText } from '../../model/spanText.ts'
import { CopyIcon } from '../../shared/Copy.tsx'
import { showDone } from '../../shared/notify.ts'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { Failure, Loading } from '../../shared/states.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'

const OperationalCard = lazy(async () => ({
  default: (await import('./OperationalCard.tsx')).OperationalCard,
}))

const ConsumersCard = lazy(async () => ({
  default: (await import('./consumers/ConsumersCard.tsx')).ConsumersCard,
}))

/** Settings of the workspace and of the member, and ids for support requests. */
export function SettingsPage() {
  const { role, rules, service, mayChange } = useWorkspace()
  const early = role === 'owner' && rules.early_warning !== null
  return (
    <PageFrame title="Settings">
      <About />
      {(early || (role !== 'operator' && rules.warned_after_s !== null)) && (
        <Emails early={early} warnedAfter={rules.warned_after_s} />
      )}
      <Suspense fallback={<Loading />}>
        <OperationalCard api={service.operational} mayChange={mayChange} />
        <ConsumersCard />
      </Suspense>
    </PageFrame>
  )
}

const ROLES = {
  owner:
    'Owner: you can change webhooks and consumers, and resend deliveries. Operators create members and API keys.',
  editor: 'Editor: you can read everything here. Only owners can change it.',
  viewer: 'Viewer: you can read everything here. Only owners can change it.',
  operator:
    'Operator: you can read every workspace, send tests, and retry, redeliver or replay single deliveries. Only owners can change webhooks.',
} as const

function About() {
  const { id, name, slug, role } = useWorkspace()
  const { email } = useSession()
  return (
    <Card withBorder>
      <Stack gap="xs">
        <Title order={2}>Workspace</Title>
        <Text size="sm" component="div">
          <Untrusted>{name}</Untrusted>, <Code>{slug}</Code> in API paths
        </Text>
        <Group gap={4} wrap="nowrap">
          <Text size="sm" c="dimmed">
            <Code className="ph-wrap">{id}</Code>
          </Text>
          <CopyIcon value={id} what="workspace id" />
        </Group>
        <Text size="sm" component="div">
          {email !== null && (
            <>
              <Untrusted>{email}</Untrusted> ·{' '}
            </>
          )}
          {ROLES[role]}
        </Text>
      </Stack>
    </Card>
  )
}

/** @param early whether there are early warnings @param warnedAfter seconds until the creator of a webhook is warned */
function Emails({ early, warnedAfter }: { readonly early: boolean; readonly warnedAfter: number | null }) {
  const { id: ws, rules } = useWorkspace()
  const { switched_off_after_s: offAfter } = rules
  const queryClient = useQueryClient()
  const queryKey = ['preferences', ws]
  const path = '/console/v1/workspaces/{ws}/preferences'
  const params = { path: { ws } }
  const preferences = useQuery({
    queryKey,
    queryFn: ({ signal }) => unwrap(consoleApi.GET(path, { params, signal })),
  })
  // Shown immediately, so that the switch does not flip back during the request.
  const [wanted, setWanted] = useState<boolean | null>(null)
  const change = useMutation({
    // Sequential, so that the last click wins.
    scope: { id: queryKey.join(' ') },
    mutationFn: (failing_warnings: boolean) =>
      unwrap(consoleApi.PATCH(path, { params, body: { failing_warnings } })),
    onSuccess: (changed) => {
      queryClient.setQueryData(queryKey, changed)
      showDone(
        changed.failing_warnings
          ? 'You get e-mails about failing webhooks.'
          : 'You no longer get e-mails about failing webhooks.',
      )
    },
    onSettled: (_answer, _error, asked) => setWanted((now) => (now === asked ? null : now)),
  })
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Title order={2}>E-mail</Title>
        {preferences.isError && (
          <Failure error={preferences.error} retry={() => void preferences.refetch()} />
        )}
        {preferences.isPending && <Loading rows={1} />}
        {preferences.isSuccess && (
          <Switch
            label="E-mail me about failing webhooks"
            description={[
              ...(early
                ? [
                    'You get an early warning: an e-mail minutes after any webhook of the workspace starts failing.',
                  ]
                : []),
              ...(warnedAfter === null
                ? []
                : [
                    `You${early ? ' also' : ''} get an e-mail when a webhook that you added has failed for ${spanText(warnedAfter)}.`,
                  ]),
              ...(offAfter === null
                ? []
                : [
                    `A webhook is disabled after it has failed for ${spanText(offAfter)}. E-mails about disabled webhooks are always sent.`,
                  ]),
            ].join(' ')}
            checked={wanted ?? preferences.data.failing_warnings}
            onChange={(event) => {
              setWanted(event.currentTarget.checked)
              change.mutate(event.currentTarget.checked)
            }}
          />
        )}
        {change.isError && <Failure error={change.error} />}
      </Stack>
    </Card>
  )
}
