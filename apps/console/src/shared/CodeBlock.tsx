import { Box, Group, ScrollArea } from '@mantine/core'
import type { ReactNode } from 'react'
import { CopyIcon } from './Copy.tsx'
import { Untrusted } from './untrusted/Untrusted.tsx'

/**
 * Text that is shown character by character in a fixed pitch, with a button that copies it.
 * @param what it is, as in "Copy curl command"; also what screen readers call the block
 */
export function CodeBlock(props: {
  readonly text: string
  readonly what: string
  readonly maxHeight?: number
  /** False: lines stay whole, and the block scrolls sideways. */
  readonly wrap?: boolean
  readonly actions?: ReactNode
}) {
  const { text, what, maxHeight = 420, wrap = true, actions } = props
  return (
    <Box className="ph-surface" pos="relative">
      <Group gap={4} pos="absolute" top={6} right={6} style={{ zIndex: 1 }}>
        {actions}
        <CopyIcon value={text} what={what} />
      </Group>
      <ScrollArea.Autosize
        mah={maxHeight}
        type="auto"
        viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': what }}
      >
        <Box
          component="pre"
          m={0}
          p="sm"
          pr={52}
          style={{ tabSize: 4 }}
          className={wrap ? 'ph-wrap ph-mono' : 'ph-mono ph-unwrapped'}
        >
          <Untrusted>{text}</Untrusted>
        </Box>
      </ScrollArea.Autosize>
    </Box>
  )
}
