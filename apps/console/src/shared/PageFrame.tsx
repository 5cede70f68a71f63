import { Anchor, Breadcrumbs, Container, Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { plainText } from './untrusted/pieces.ts'
import { Untrusted } from './untrusted/Untrusted.tsx'

/** A name of somebody else's making must leave room for what follows it. */
const TRAIL_LABEL_WIDTH = 'min(320px, 60vw)'

/** The head that every page has: where one is, what it is called, what can be done. */
export function PageFrame(props: {
  readonly title: string
  /** What stands before the title, from the outside in. */
  readonly trail?: readonly { readonly to: string; readonly label: string }[]
  readonly badge?: ReactNode
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}) {
  const { title, trail = [], badge, lead, actions, children } = props
  useDocumentTitle(`${plainText(title)} · Posthorn`)
  return (
    <Container size="lg" px={{ base: 'sm', sm: 'lg' }} py="lg" w="100%">
      <Stack gap="lg">
        <Stack gap={6}>
          {trail.length > 0 && (
            <Breadcrumbs separatorMargin={6} aria-label="Where you are" component="nav">
              {trail.map(({ to, label }) => (
                <Anchor
                  key={to}
                  component={Link}
                  to={to}
                  size="sm"
                  // What is cut at the right is cut below, too: less would take the feet of letters.
                  lh="sm"
                  truncate
                  maw={TRAIL_LABEL_WIDTH}
                  display="block"
                >
                  <bdi>{plainText(label)}</bdi>
                </Anchor>
              ))}
            </Breadcrumbs>
          )}
          <Group justify="space-between" align="flex-start" gap="sm">
            <Group gap="sm" style={{ minWidth: 0, flex: '1 1 240px' }}>
              <Title order={1}>
                <Untrusted>{title}</Untrusted>
              </Title>
              {badge}
            </Group>
            {actions !== undefined && <Group gap="xs">{actions}</Group>}
          </Group>
          {lead !== undefined && (
            <Text c="dimmed" size="sm" component="div" maw={720}>
              {lead}
            </Text>
          )}
        </Stack>
        {children}
      </Stack>
    </Container>
  )
}
