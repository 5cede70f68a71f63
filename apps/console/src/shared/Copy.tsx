import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { copyText } from './copyText.ts'

const SAID_FOR_MS = 2_000

/** Copies a text and confirms it for two seconds. @param what names the text for screen readers, as in "Copy URL" */
export function CopyIcon({ value, what }: { readonly value: string; readonly what: string }) {
  const { copied, copy } = useCopy(value)
  const label = copied ? 'Copied' : `Copy ${what}`
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color={copied ? 'green' : 'gray'}
        size="sm"
        aria-label={label}
        onClick={copy}
      >
        {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
      </ActionIcon>
    </Tooltip>
  )
}

export function CopyButton({ value, children }: { readonly value: string; readonly children: string }) {
  const { copied, copy } = useCopy(value)
  const icon = copied ? <IconCheck size={15} /> : <IconCopy size={15} />
  return (
    <Button size="xs" variant="default" leftSection={icon} onClick={copy}>
      {copied ? 'Copied' : children}
    </Button>
  )
}

function useCopy(value: string) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SAID_FOR_MS)
    return () => clearTimeout(timer)
  }, [copied])
  return { copied, copy: () => void copyText(value).then(setCopied) }
}
