import { Button, Container, Group } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ErrorComponentProps, Link, useLocation } from '@tanstack/react-router'
import { sessionQuery } from '../api/session.ts'
import { PageFrame } from '../shared/PageFrame.tsx'
import { Failure, Loading } from '../shared/states.tsx'

export const PagePending = () => (
  <Container size="lg" py="lg">
    <Loading />
  </Container>
)

export const PageFailure = ({ error, reset }: ErrorComponentProps) => (
  <Container size="sm" py="xl">
    <Failure error={error} retry={reset} />
  </Container>
)

export function PageMissing() {
  const { pathname } = useLocation()
  const session = useQueryClient().getQueryData(sessionQuery.queryKey) ?? null
  const home = session !== null && session.workspaces.length > 0 && !pathname.startsWith('/operator')
  const isOperators = session?.operator === true && !home
  return (
    <PageFrame title="Page not found" lead="The URL may be mistyped, or the item was deleted.">
      <Group>
        <Button component={Link} to={isOperators ? '/operator' : '/'}>
          {isOperators ? 'Go to the operator pages' : 'Go to your workspace'}
        </Button>
      </Group>
    </PageFrame>
  )
}
