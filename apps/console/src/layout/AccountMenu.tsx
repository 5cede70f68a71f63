import { Button, Menu, Text } from '@mantine/core'
import { IconBook, IconDoorExit, IconHelp, IconLogout, IconUserCircle } from '@tabler/icons-react'
import { isEmbedded } from '../api/credential.ts'
import { useSession } from '../api/session.ts'
import { plainText } from '../shared/untrusted/pieces.ts'
import { leave } from './leave.ts'
import { SchemeItems } from './SchemeItems.tsx'

/** Menu with the color scheme, documentation and sign-out. */
export function AccountMenu() {
  const { email, operator } = useSession()
  const name = email ?? (operator ? 'Operator' : 'Account')
  return (
    <Menu width={232} position="top-start">
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          fullWidth
          justify="flex-start"
          leftSection={<IconUserCircle size={20} />}
          c="var(--mantine-color-text)"
        >
          <Text size="sm" truncate>
            {plainText(name)}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <SchemeItems />
        <Menu.Divider />
        <Menu.Item
          component="a"
          href="/help/"
          target="_blank"
          rel="noreferrer"
          leftSection={<IconHelp size={16} />}
        >
          Guide
        </Menu.Item>
        <Menu.Item
          component="a"
          href="/docs"
          target="_blank"
          rel="noreferrer"
          leftSection={<IconBook size={16} />}
        >
          API reference
        </Menu.Item>
        {!isEmbedded && (
          <>
            <Menu.Divider />
            <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave(false)}>
              Sign out
            </Menu.Item>
            <Menu.Item leftSection={<IconDoorExit size={16} />} onClick={() => void leave(true)}>
              Sign out everywhere
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
