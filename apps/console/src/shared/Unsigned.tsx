import { Alert, Text } from '@mantine/core'
import { IconShieldOff } from '@tabler/icons-react'
import { withArticle } from '../model/words.ts'
import { useWorkspace } from '../workspace/workspace.tsx'

/** Warns that requests are not signed. Renders nothing if they are. */
export function Unsigned() {
  const { noun, isSigned } = useWorkspace().service.features
  if (isSigned) return null
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<IconShieldOff size={20} />}
      title="These requests are not signed"
    >
      <Text size="sm">
        Anyone who knows the URL of {withArticle(noun)} can send forged requests to it. Your server cannot
        distinguish them from real ones. Keep the URL secret, and check each event before you act on it.
      </Text>
    </Alert>
  )
}
