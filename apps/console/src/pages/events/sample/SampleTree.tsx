import '../events.css'
import { Button, Stack, Text } from '@mantine/core'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { copyText } from '../../../shared/copyText.ts'
import { showDone } from '../../../shared/notify.ts'
import { plainText } from '../../../shared/untrusted/pieces.ts'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { fieldPath, type PathStyle } from './fieldPath.ts'
import { type SampleLine, sampleLines } from './sampleLines.ts'

/** More lines are shown only on request. */
const SHOWN_AT_FIRST = 300

/** The fields of a body. A click or Enter copies the path of a field. */
export function SampleTree({ body, style }: { readonly body: unknown; readonly style: PathStyle }) {
  const lines = useMemo(() => sampleLines(body), [body])
  const [all, setAll] = useState(false)
  const [current, setCurrent] = useState(0)
  const tree = useRef<HTMLDivElement>(null)
  const shown = all ? lines : lines.slice(0, SHOWN_AT_FIRST)

  const move = (event: KeyboardEvent) => {
    const to = moved(event.key, current, shown.length)
    if (to === null) return
    event.preventDefault()
    setCurrent(to)
    tree.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[to]?.focus()
  }
  return (
    <Stack gap="xs" align="flex-start">
      <div
        ref={tree}
        role="tree"
        aria-label="Fields of the body. Press Enter to copy a path"
        className="ph-tree"
        onKeyDown={move}
      >
        {shown.map((line, place) => (
          <Line
            key={fieldPath(line.steps, 'jsonpath')}
            {...{ line, style }}
            tabbable={place === current}
            onFocus={() => setCurrent(place)}
          />
        ))}
      </div>
      {shown.length < lines.length && (
        <Button size="xs" variant="default" onClick={() => setAll(true)}>
          Show all {lines.length} lines
        </Button>
      )}
    </Stack>
  )
}

function Line(props: {
  readonly line: SampleLine
  readonly style: PathStyle
  readonly tabbable: boolean
  readonly onFocus: () => void
}) {
  const { line, style, tabbable, onFocus } = props
  const path = fieldPath(line.steps, style)
  const copy = () => void copyPath(path)
  return (
    <div
      role="treeitem"
      aria-level={line.depth + 1}
      aria-label={`${plainText(line.name)}: ${plainText(line.value)}`}
      tabIndex={tabbable ? 0 : -1}
      title={`Copy ${plainText(path)}`}
      className="ph-tree-line"
      style={{ paddingInlineStart: 10 + line.depth * 18 }}
      onClick={copy}
      onFocus={onFocus}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        copy()
      }}
    >
      <Text span size="sm" fw={600}>
        <Untrusted mono>{line.name}</Untrusted>
      </Text>
      <Text span size="sm" c={line.kind === 'text' ? 'var(--mantine-color-text)' : 'dimmed'}>
        {line.value === '' ? <Text c="dimmed">empty text</Text> : <Untrusted mono>{line.value}</Untrusted>}
      </Text>
    </div>
  )
}

async function copyPath(path: string): Promise<void> {
  if (await copyText(path)) {
    showDone(
      <>
        Copied <Untrusted mono>{path}</Untrusted>
      </>,
    )
  }
}

function moved(key: string, current: number, length: number): number | null {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: Math.min(length - 1, current + 1),
    ArrowUp: Math.max(0, current - 1),
    Home: 0,
    End: length - 1,
  }
  return moves[key] ?? null
}
