import { Alert, Text } from '@mantine/core'
import { IconKeyOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** Shown instead of a signing secret that is no longer available. @param props.children what to do */
export const SecretOmitted = ({ children }: { readonly children: ReactNode }) => (
  <Alert
    color="yellow"
    variant="light"
    icon={<IconKeyOff size={18} />}
    title="The signing secret is no longer shown"
  >
    <Text size="sm">
      An earlier request created it. It is shown again only within ten minutes, and only until another secret
      replaces it. {children}
    </Text>
  </Alert>
)
