import { Button, Container, Stack, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
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

export const PageMissing = () => (
  <Container size="sm" py="xl">
    <Stack align="flex-start">
      <Title order={1}>There is no such page</Title>
      <Text>The address may be mistyped, or what it names was deleted.</Text>
      <Button component={Link} to="/">
        Go to your workspace
      </Button>
    </Stack>
  </Container>
)
