import { Card, Group, NativeSelect, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { samplesQuery } from '../../../api/eventTypes.ts'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { Failure, Loading } from '../../../shared/states.tsx'
import { Time } from '../../../shared/Time.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { fieldPath, PATH_STYLES, type PathStyle } from './fieldPath.ts'
import { SampleTree } from './SampleTree.tsx'
import { usePathStyle } from './usePathStyle.ts'

const EXAMPLE = 'example'
const AGES = ['Latest', 'Second latest', 'Third latest']

interface SampledType {
  readonly type: string
  /** `null`: it is not in the catalog. */
  readonly example: unknown
}

/** Sample bodies of an event type: the workspace's latest events, and the example of the catalog. */
export function SamplePanel({ type }: { readonly type: SampledType }) {
  const { id } = useWorkspace()
  const samples = useQuery(samplesQuery(id, type.type))
  return (
    <Card withBorder component="section" padding="lg">
      <Stack>
        <Title order={2}>Samples</Title>
        {samples.isPending && <Loading />}
        {samples.isError && <Failure error={samples.error} retry={() => void samples.refetch()} />}
        {samples.isSuccess && <Samples type={type} samples={samples.data} />}
      </Stack>
    </Card>
  )
}

interface Sample {
  readonly id: string | null
  readonly created_at: string | null
  readonly body: unknown
}

function Samples(props: {
  readonly type: SampledType
  readonly samples: { readonly made_up: boolean; readonly data: readonly Sample[] }
}) {
  const { type, samples } = props
  const real = samples.made_up ? [] : samples.data
  const [chosen, setChosen] = useState('0')
  const sample = real[Number(chosen)] ?? null
  const [shown, setShown] = useState<'fields' | 'json'>('fields')
  const body = sample?.body ?? type.example
  if (body === null) return <Text size="sm">No event of this type was published in this workspace yet.</Text>
  return (
    <Stack gap="sm">
      <Group gap="sm">
        {real.length > 0 && (
          <SegmentedControl
            size="xs"
            aria-label="Sample"
            value={chosen}
            onChange={setChosen}
            data={[
              ...real.map((_, place) => ({ value: String(place), label: AGES[place] ?? `${place + 1}.` })),
              ...(type.example === null ? [] : [{ value: EXAMPLE, label: 'Example' }]),
            ]}
          />
        )}
        <SegmentedControl
          size="xs"
          aria-label="Format"
          value={shown}
          onChange={(value) => setShown(value as 'fields' | 'json')}
          data={[
            { value: 'fields', label: 'Fields' },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </Group>
      <Text size="sm" c="dimmed" component="div">
        {sample?.created_at != null && (
          <>
            An event of this workspace, <Time at={sample.created_at} as="relative" />.
          </>
        )}
        {sample === null &&
          (real.length === 0
            ? 'An example: no event of this type was published in this workspace yet.'
            : 'An example.')}
      </Text>
      {shown === 'json' ? (
        <CodeBlock text={JSON.stringify(body, null, 2)} what="body as JSON" language="json" />
      ) : (
        <Fields body={body} />
      )}
    </Stack>
  )
}

const EXAMPLE_STEPS = ['data', 'title'] as const
const STYLE_LABELS = PATH_STYLES.map((style) => ({ value: style, label: fieldPath(EXAMPLE_STEPS, style) }))

function Fields({ body }: { readonly body: unknown }) {
  const [style, setStyle] = usePathStyle()
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Path format"
        description="Select a field below to copy its path, for example for an automation tool."
        value={style}
        onChange={(event) => setStyle(event.currentTarget.value as PathStyle)}
        data={STYLE_LABELS}
        maw={420}
      />
      <SampleTree body={body} style={style} />
    </Stack>
  )
}
