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

/** What a member decides for themselves, and what support asks for. */
export function SettingsPage() {
  const { role, rules, service, mayChange } = useWorkspace()
  return (
    <PageFrame title="Settings">
      <About />
      {role !== 'operator' && (rules.warned_after_s ?? rules.early_warning) !== null && (
        <Emails warnedAfter={rules.warned_after_s} />
      )}
      <Suspense fallback={<Loading />}>
        <OperationalCard api={service.operational} mayChange={mayChange} />
      </Suspense>
    </PageFrame>
  )
}

const ROLES = {
  owner:
    'Owner: you may change its webhooks and send deliveries again. The operator makes members and API keys.',
  editor: 'Editor: you may look at everything here; owners change it.',
  viewer: 'Viewer: you may look at everything here; owners change it.',
  operator: 'Operator: you may look at every workspace; their owners change them.',
} as const

function About() {
  const { id, name, slug, role } = useWorkspace()
  const { email } = useSession()
  return (
    <Card withBorder>
      <Stack gap="xs">
        <Title order={2}>Workspace</Title>
        <Text size="sm" component="div">
          <Untrusted>{name}</Untrusted>, <Code>{slug}</Code> in paths of the API
        </Text>
        <Group gap={4}>
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

function Emails({ warnedAfter }: { readonly warnedAfter: number | null }) {
  const { id: ws, rules, role } = useWorkspace()
  const { switched_off_after_s: offAfter } = rules
  const queryClient = useQueryClient()
  const queryKey = ['preferences', ws]
  const path = '/console/v1/workspaces/{ws}/preferences'
  const params = { path: { ws } }
  const preferences = useQuery({
    queryKey,
    queryFn: ({ signal }) => unwrap(consoleApi.GET(path, { params, signal })),
  })
  // Shown from the click on: the switch must not spring back while the answer is on its way.
  const [wanted, setWanted] = useState<boolean | null>(null)
  const change = useMutation({
    // One after the other, so that the last click counts.
    scope: { id: queryKey.join(' ') },
    mutationFn: (failing_warnings: boolean) =>
      unwrap(consoleApi.PATCH(path, { params, body: { failing_warnings } })),
    onSuccess: (changed) => {
      queryClient.setQueryData(queryKey, changed)
      showDone(changed.failing_warnings ? 'You get warnings.' : 'You get no warnings any more.')
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
            label={
              warnedAfter === null
                ? 'Warn me when a webhook is failing'
                : `Warn me when a webhook that I added has failed for ${spanText(warnedAfter)}`
            }
            description={[
              ...(rules.early_warning !== null && role === 'owner'
                ? ['As an owner you are also warned of any webhook that has been failing for some minutes.']
                : []),
              ...(offAfter === null
                ? []
                : [
                    `If it keeps failing, it is disabled after ${spanText(offAfter)}. You always get an e-mail about that.`,
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
