import { Card, Stack, Title } from '@mantine/core'
import { VerifyGuide } from '../../created/VerifyGuide.tsx'

/** The verification guide in full width, since code wraps badly in a half-width card. */
export const VerifyCard = ({ id }: { readonly id: string }) => (
  <Card withBorder component="section" p={{ base: 'sm', sm: 'lg' }} id={id}>
    <Stack gap="sm">
      <Title order={2}>How to verify signatures</Title>
      <VerifyGuide />
    </Stack>
  </Card>
)
