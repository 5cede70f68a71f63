import { Container, Stack } from '@mantine/core'
import {
  IconBuildings,
  IconHeartbeat,
  IconHistory,
  IconPlugConnected,
  IconUserShield,
} from '@tabler/icons-react'
import { Outlet, useLocation } from '@tanstack/react-router'
import { useSession } from '../../api/session.ts'
import { SignedIn } from '../../app/SignedIn.tsx'
import { AccountMenu } from '../../layout/AccountMenu.tsx'
import { NavItem } from '../../layout/NavItem.tsx'
import { Shell } from '../../layout/Shell.tsx'
import { WorkspaceMenu } from '../../layout/WorkspaceMenu.tsx'
import { Failure } from '../../shared/states.tsx'

/** Frame of the operator pages. */
export const OperatorPages = () => (
  <SignedIn>
    <Frame />
  </SignedIn>
)

function Frame() {
  const { operator } = useSession()
  const { pathname } = useLocation()
  if (!operator) {
    return (
      <Container size="sm" py="xl">
        <Failure error={new Error('These pages are for the operators of this service.')} />
      </Container>
    )
  }
  const icon = { size: 18, stroke: 1.7 }
  return (
    <Shell
      nav={
        <Stack gap={2}>
          <WorkspaceMenu current={null} name="Operator pages" />
          <Stack gap={2} mt="sm">
            <NavItem to="/operator" exact icon={<IconHeartbeat {...icon} />} label="Health" />
            <NavItem to="/operator/workspaces" icon={<IconBuildings {...icon} />} label="Workspaces" />
            <NavItem
              to="/operator/services"
              here={pathname === '/operator/new-service'}
              icon={<IconPlugConnected {...icon} />}
              label="Services"
            />
            <NavItem to="/operator/audit-log" icon={<IconHistory {...icon} />} label="Audit log" />
            <NavItem to="/operator/operators" icon={<IconUserShield {...icon} />} label="Operators" />
          </Stack>
        </Stack>
      }
      foot={<AccountMenu />}
    >
      <Outlet />
    </Shell>
  )
}
