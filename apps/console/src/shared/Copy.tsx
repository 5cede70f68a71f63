import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'

/** Copies a text; says so for two seconds. @param what named to those who cannot see the icon, as in "Copy URL" */
export function CopyIcon({ value, what }: { readonly value: string; readonly what: string }) {
  const { copied, copy } = useClipboard({ timeout: 2_000 })
  const label = copied ? 'Copied' : `Copy ${what}`
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color={copied ? 'green' : 'gray'}
        size="sm"
        aria-label={label}
        onClick={() => copy(value)}
      >
        {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
      </ActionIcon>
    </Tooltip>
  )
}

export function CopyButton({ value, children }: { readonly value: string; readonly children: string }) {
  const { copied, copy } = useClipboard({ timeout: 2_000 })
  const icon = copied ? <IconCheck size={15} /> : <IconCopy size={15} />
  return (
    <Button size="xs" variant="default" leftSection={icon} onClick={() => copy(value)}>
      {copied ? 'Copied' : children}
    </Button>
  )
}
