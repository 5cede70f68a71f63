import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A metric with its label. */
export const Stat = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <Stack gap={4} miw={0}>
    <Text size="xs" c="dimmed">
      {label}
    </Text>
    {children}
  </Stack>
)

/** A number in large type. */
export const Big = ({ children }: { readonly children: string }) => (
  <Text fz={24} fw={650} lh={1.2} className="ph-numbers">
    {children}
  </Text>
)
