import { Card, Center, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Logo } from '../../layout/Logo.tsx'

/** Frame of signed-out pages. */
export function SignInFrame(props: {
  readonly title: string
  readonly lead?: string
  readonly children: ReactNode
}) {
  useDocumentTitle(`${props.title} · Posthorn`)
  return (
    <Center mih="100vh" p="md" bg="var(--ph-surface)" component="main">
      <Card withBorder padding="xl" radius="lg" w="100%" maw={420} shadow="sm">
        <Stack>
          <Logo />
          <Stack gap={4}>
            <Title order={1}>{props.title}</Title>
            {props.lead !== undefined && (
              <Text size="sm" c="dimmed">
                {props.lead}
              </Text>
            )}
          </Stack>
          {props.children}
        </Stack>
      </Card>
    </Center>
  )
}
