import { Button, Group, Menu, Text } from '@mantine/core'
import { IconCheck, IconDashboard, IconSelector } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useSession } from '../api/session.ts'
import { serviceName } from '../model/serviceName.ts'
import { plainText } from '../shared/untrusted/pieces.ts'

/** Shows the current workspace and links to the others. @param current its id; `null`: the operator pages */
export function WorkspaceMenu({ current, name }: { readonly current: string | null; readonly name: string }) {
  const { workspaces, operator } = useSession()
  return (
    <Menu width="target" position="bottom-start">
      <Menu.Target>
        <Button
          variant="default"
          fullWidth
          justify="space-between"
          rightSection={<IconSelector size={16} />}
          aria-label={`Workspace: ${plainText(name)}. Switch workspace`}
        >
          <Text truncate size="sm" fw={600}>
            {plainText(name)}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        {workspaces.length > 0 && <Menu.Label>Your workspaces</Menu.Label>}
        {workspaces.map((workspace) => (
          <Menu.Item
            key={workspace.id}
            component={Link}
            to={`/w/${workspace.id}`}
            leftSection={workspace.id === current ? <IconCheck size={15} /> : <span style={{ width: 15 }} />}
          >
            <Group justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" truncate>
                {plainText(workspace.name)}
              </Text>
              <Text size="xs" c="dimmed">
                {serviceName(workspace.dialect)}
              </Text>
            </Group>
          </Menu.Item>
        ))}
        {operator && (
          <>
            {workspaces.length > 0 && <Menu.Divider />}
            <Menu.Item component={Link} to="/operator" leftSection={<IconDashboard size={15} />}>
              Operator pages
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
