import { Alert, Checkbox, Group, Stack, Text } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { CopyButton } from '../../../shared/Copy.tsx'

/** A signing secret that is shown only once, and a confirmation that it was stored. */
export function SecretOnce(props: {
  readonly secret: string
  readonly stored: boolean
  readonly onStored: (stored: boolean) => void
}) {
  const { secret, stored, onStored } = props
  return (
    <Stack gap="sm">
      <Alert
        color="yellow"
        variant="light"
        icon={<IconKey size={18} />}
        title="The secret is shown only once"
      >
        <Text size="sm">
          Store it where your server reads its secrets, such as an environment variable. It cannot be shown
          again. If you lose it, rotate the secret.
        </Text>
      </Alert>
      <CodeBlock text={secret} what="signing secret" copies={false} />
      <Group justify="space-between">
        <Checkbox
          label="I have stored the secret"
          checked={stored}
          onChange={(event) => onStored(event.currentTarget.checked)}
        />
        <CopyButton value={secret}>Copy secret</CopyButton>
      </Group>
    </Stack>
  )
}
