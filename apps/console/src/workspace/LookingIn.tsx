import { Anchor, Group, Text } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'

/** Tells operators in whose place they are: they see what members see. @param ws id of the workspace */
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
      You look in as an operator: you can send tests and resend deliveries, and change nothing else.{' '}
      <Anchor component={Link} to={`/operator/workspaces/${ws}`} inherit underline="always">
        Back to this workspace's operator page
      </Anchor>
    </Text>
  </Group>
)
