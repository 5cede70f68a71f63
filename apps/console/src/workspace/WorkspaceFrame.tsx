import { Alert, Button, Container, Stack } from '@mantine/core'
import {
  IconActivity,
  IconBolt,
  IconChartBar,
  IconHistory,
  IconPlayerPause,
  IconRefresh,
  IconRouteAltLeft,
  IconSettings,
  IconWebhook,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { type Workspace, workspaceQuery } from '../api/provisioning.ts'
import { rulesQuery } from '../api/rules.ts'
import { serviceQuery } from '../api/serviceDescription.ts'
import { type Session, useSession } from '../api/session.ts'
import { AccountMenu } from '../layout/AccountMenu.tsx'
import { NavItem } from '../layout/NavItem.tsx'
import { Shell } from '../layout/Shell.tsx'
import { WorkspaceMenu } from '../layout/WorkspaceMenu.tsx'
import { capitalized } from '../model/words.ts'
import { SendingPaused } from '../shared/SendingPaused.tsx'
import { Failure, Loading } from '../shared/states.tsx'
import { LookingIn } from './LookingIn.tsx'
import { keepLastWorkspace } from './lastWorkspace.ts'
import { useWorkspace, type WorkspaceFacts, WorkspaceProvider } from './workspace.tsx'

/** Frame of all pages of a workspace, for its members and for operators. */
export function WorkspaceFrame() {
  const { ws } = useParams({ from: '/w/$ws' })
  const session = useSession()
  const own = membershipOf(session, ws)
  const seen = useQuery({
    ...workspaceQuery(ws),
    enabled: own === null && session.operator,
    select: asOperator,
  })
  const facts = own ?? seen.data ?? null
  const rules = useQuery({ ...rulesQuery(ws), enabled: facts !== null })
  const service = useQuery({ ...serviceQuery(ws), enabled: facts !== null })
  if (facts === null) {
    return (
      <Container size="sm" py="xl">
        {session.operator && seen.isPending ? (
          <Loading />
        ) : (
          <NotYours error={seen.error ?? new Error(`You are not a member of a workspace "${ws}".`)} />
        )}
      </Container>
    )
  }
  if (rules.data === undefined || service.data === undefined) {
    const failed = [rules, service].find(({ data, isError }) => data === undefined && isError)
    return (
      <Container size="sm" py="xl">
        {failed === undefined ? (
          <Loading />
        ) : (
          <Failure error={failed.error} retry={() => void failed.refetch()} />
        )}
      </Container>
    )
  }
  return (
    <WorkspaceProvider
      facts={facts}
      pathRef={ws}
      rules={rules.data}
      description={service.data}
      key={facts.id}
    >
      <Frame />
    </WorkspaceProvider>
  )
}

const NotYours = ({ error }: { readonly error: Error }) => (
  <Stack align="flex-start">
    <Failure error={error} />
    <Button component={Link} to="/" variant="default">
      Go to your workspace
    </Button>
  </Stack>
)

const asOperator = (found: Workspace): WorkspaceFacts => ({
  ...found,
  suspendedAt: found.suspended_at,
  role: 'operator',
})

/** Finds a membership by workspace id, or by slug if that is unique. */
function membershipOf({ workspaces }: Session, ref: string): WorkspaceFacts | null {
  const bySlug = workspaces.filter(({ slug }) => slug === ref)
  const found = workspaces.find(({ id }) => id === ref) ?? (bySlug.length === 1 ? bySlug[0] : undefined)
  return found === undefined ? null : { ...found, suspendedAt: found.suspended_at }
}

function Frame() {
  const { id, ref, name, suspended, role, service } = useWorkspace()
  useEffect(() => keepLastWorkspace(id), [id])
  const base = `/w/${ref}`
  // A delivery's page belongs to Deliveries, although its path is below a webhook.
  const onDelivery = useParams({ strict: false }).did !== undefined
  const { noun, area, canReplayMany } = service.features
  const icon = { size: 18, stroke: 1.7 }
  return (
    <Shell
      nav={
        <Stack gap={2}>
          <WorkspaceMenu current={id} name={name} />
          <Stack gap={2} mt="sm">
            <NavItem
              to={`${base}/webhooks`}
              exact={onDelivery}
              icon={<IconWebhook {...icon} />}
              label={area}
              description={area.toLowerCase() === `${noun}s` ? undefined : `${capitalized(noun)}s`}
            />
            <NavItem
              to={`${base}/deliveries`}
              here={onDelivery}
              icon={<IconActivity {...icon} />}
              label="Deliveries"
            />
            <NavItem to={`${base}/event-log`} icon={<IconBolt {...icon} />} label="Events" />
            {canReplayMany && (
              <NavItem to={`${base}/replays`} icon={<IconRefresh {...icon} />} label="Replay" />
            )}
            <NavItem to={`${base}/metrics`} icon={<IconChartBar {...icon} />} label="Metrics" />
            <NavItem to={`${base}/events`} icon={<IconRouteAltLeft {...icon} />} label="Event types" />
            {(role === 'owner' || role === 'operator') && (
              <NavItem to={`${base}/audit-log`} icon={<IconHistory {...icon} />} label="Audit log" />
            )}
            <NavItem to={`${base}/settings`} icon={<IconSettings {...icon} />} label="Settings" />
          </Stack>
        </Stack>
      }
      foot={<AccountMenu />}
    >
      {role === 'operator' && <LookingIn ws={id} />}
      <SendingPaused />
      {suspended && (
        <Alert
          color="yellow"
          variant="light"
          radius={0}
          icon={<IconPlayerPause size={18} />}
          title="This workspace is suspended"
        >
          The operator has paused all {noun}s of this workspace. Pending deliveries wait until it is resumed.
          New events are not sent.
        </Alert>
      )}
      <Outlet />
    </Shell>
  )
}
