import { Box, ScrollArea } from '@mantine/core'
import { CopyIcon } from './Copy.tsx'
import { Untrusted } from './untrusted/Untrusted.tsx'

const BESIDE_SCROLLBAR_PX = 14

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
  /** False: whoever shows it has a button for it beside. */
  readonly copies?: boolean
}) {
  const { text, what, maxHeight = 420, wrap = true, copies = true } = props
  return (
    <Box className="ph-surface" pos="relative">
      {copies && (
        <Box pos="absolute" top={6} right={BESIDE_SCROLLBAR_PX} style={{ zIndex: 1 }}>
          <CopyIcon value={text} what={what} />
        </Box>
      )}
      <ScrollArea.Autosize
        mah={maxHeight}
        type="auto"
        viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': what }}
      >
        <Box
          component="pre"
          m={0}
          p="sm"
          {...(copies ? { pr: 52 } : {})}
          style={{ tabSize: 4 }}
          className={wrap ? 'ph-wrap ph-mono' : 'ph-mono ph-unwrapped'}
        >
          <Untrusted>{text}</Untrusted>
        </Box>
      </ScrollArea.Autosize>
    </Box>
  )
}
