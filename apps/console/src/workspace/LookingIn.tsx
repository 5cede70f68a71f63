import { Anchor, Group, Text } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'

/** Tells operators that they view a workspace as its members do. @param ws id of the workspace */
export const LookingIn = ({ ws }: { readonly ws: string }) => (
  <Group
    role="note"
    gap="xs"
    wrap="nowrap"
    px={{ base: 'sm', sm: 'lg' }}
    py={6}
    bg="var(--mantine-color-gray-light)"
    c="var(--mantine-color-gray-light-color)"
  >
    <IconEye size={16} style={{ flex: 'none' }} aria-hidden />
    <Text size="sm">
      You are viewing this workspace as an operator. You can send tests and resend deliveries, but you cannot
      change anything.{' '}
      <Anchor component={Link} to={`/operator/workspaces/${ws}`} inherit underline="always">
        Open the operator page
      </Anchor>
    </Text>
  </Group>
)
