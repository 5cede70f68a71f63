import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** What something amounts to, under its name. */
export const Figure = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <Stack gap={4} miw={0}>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    {children}
  </Stack>
)

/** A number that is seen from afar. */
export const Big = ({ children }: { readonly children: string }) => (
  <Text fz={24} fw={650} lh={1.2} className="ph-numbers">
    {children}
  </Text>
)
