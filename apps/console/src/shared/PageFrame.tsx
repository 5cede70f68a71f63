import { Anchor, Breadcrumbs, Container, Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { plainText } from './untrusted/pieces.ts'
import { Untrusted } from './untrusted/Untrusted.tsx'

/** Long names must leave room for the rest of the trail. */
const TRAIL_LABEL_WIDTH = 'min(320px, 60vw)'

/** The head of every page: breadcrumbs, title and actions. */
export function PageFrame(props: {
  readonly title: string
  /** Breadcrumbs, outermost first. */
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
            <Breadcrumbs separatorMargin={6} aria-label="Breadcrumbs" component="nav">
              {trail.map(({ to, label }) => (
                <Anchor
                  key={to}
                  component={Link}
                  to={to}
                  size="sm"
                  // Truncation clips vertically too: a smaller line height would cut descenders.
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
