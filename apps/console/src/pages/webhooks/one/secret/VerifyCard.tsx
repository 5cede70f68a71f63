import { Card, Stack, Title } from '@mantine/core'
import { VerifyGuide } from '../../created/VerifyGuide.tsx'

/** How signatures are checked, as wide as the page: code wraps badly in half of it. */
export const VerifyCard = ({ id }: { readonly id: string }) => (
  <Card withBorder component="section" p={{ base: 'sm', sm: 'lg' }} id={id}>
    <Stack gap="sm">
      <Title order={2}>How to check signatures</Title>
      <VerifyGuide />
    </Stack>
  </Card>
)
