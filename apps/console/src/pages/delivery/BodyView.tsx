import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { bodyViews, type BodyView as View } from '../../model/bodyText.ts'
import { CodeBlock } from '../../shared/CodeBlock.tsx'

/** A body in selectable views. @param what names it, as in "Copy request body" */
export function BodyView(props: {
  readonly body: string
  readonly encoding: 'utf-8' | 'base64'
  readonly what: string
  readonly empty: string
}) {
  const { body, encoding, what, empty } = props
  const views = useMemo(() => bodyViews(body, encoding), [body, encoding])
  const [chosen, setChosen] = useState<View['name'] | null>(null)
  const view = views.find(({ name }) => name === chosen) ?? views[0]
  if (view === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    )
  }
  return (
    <Stack gap={6}>
      {views.length > 1 && (
        <Group>
          <SegmentedControl
            size="xs"
            aria-label={`How to show the ${what}`}
            data={views.map(({ name }) => name)}
            value={view.name}
            onChange={(name) => setChosen(name as View['name'])}
          />
        </Group>
      )}
      {view.name === 'Hex' && (
        <Text size="xs" c="dimmed">
          The body is not UTF-8 text, so it is shown as bytes.
        </Text>
      )}
      <CodeBlock
        text={view.text}
        what={what}
        wrap={view.name !== 'Hex'}
        {...(view.name === 'JSON' ? { language: 'json' } : {})}
      />
    </Stack>
  )
}
