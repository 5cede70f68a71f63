import { Box, ScrollArea } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { CopyIcon } from './Copy.tsx'
import type { CodeLanguage } from './codeLanguage.ts'
import { Untrusted } from './untrusted/Untrusted.tsx'

const BESIDE_SCROLLBAR_PX = 14
/** Longer text is not highlighted, since each token is an element. */
const MAX_COLORED = 50_000

const ColoredCode = lazy(async () => ({ default: (await import('./ColoredCode.tsx')).ColoredCode }))

/**
 * Monospaced text with a copy button.
 * @param what names the text, as in "Copy curl command"; also the accessible name of the block
 */
export function CodeBlock(props: {
  readonly text: string
  readonly what: string
  /** Language for highlighting; absent: plain text. */
  readonly language?: CodeLanguage
  /** `none`: the block is as high as its text. */
  readonly maxHeight?: number | 'none'
  /** False: long lines scroll horizontally. */
  readonly wrap?: boolean
  /** False: the caller renders a copy button. */
  readonly copies?: boolean
}) {
  const { text, what, language, maxHeight = 420, wrap = true, copies = true } = props
  const plain = <Untrusted>{text}</Untrusted>
  return (
    <Box className="ph-surface" pos="relative">
      {copies && (
        <Box pos="absolute" top={6} right={BESIDE_SCROLLBAR_PX} style={{ zIndex: 1 }}>
          <CopyIcon value={text} what={what} />
        </Box>
      )}
      <ScrollArea.Autosize
        {...(maxHeight === 'none' ? {} : { mah: maxHeight })}
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
          {language === undefined || text.length > MAX_COLORED ? (
            plain
          ) : (
            <Suspense fallback={plain}>
              <ColoredCode text={text} language={language} />
            </Suspense>
          )}
        </Box>
      </ScrollArea.Autosize>
    </Box>
  )
}
