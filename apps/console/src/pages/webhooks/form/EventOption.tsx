import { Anchor, Box, Checkbox, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type EventType, samplesQuery } from '../../../api/eventTypes.ts'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import classes from './picker.module.css'

/** Checkbox of an event type, with an expandable sample. */
export function EventOption(props: {
  readonly type: EventType
  readonly checked: boolean
  readonly onChange: (ticked: boolean) => void
}) {
  const { type, checked, onChange } = props
  const [unfolded, setUnfolded] = useState(false)
  const id = useId()
  return (
    <div className={classes.option}>
      <Checkbox
        size="sm"
        label={
          <>
            <Untrusted>{type.title}</Untrusted>{' '}
            <Text span c="dimmed" className={`ph-mono ${classes.type}`}>
              <Untrusted mono isName>
                {type.type}
              </Untrusted>
            </Text>
          </>
        }
        description={<Untrusted>{type.description}</Untrusted>}
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <Anchor
        component="button"
        type="button"
        size="xs"
        className={classes.unfold}
        aria-expanded={unfolded}
        aria-controls={id}
        aria-label={`${unfolded ? 'Hide' : 'Show'} a sample of ${type.type}`}
        onClick={() => setUnfolded(!unfolded)}
      >
        {unfolded ? 'Hide sample' : 'Show sample'}
      </Anchor>
      <Box id={id} hidden={!unfolded} className={classes.sample}>
        {unfolded && <Sample type={type} />}
      </Box>
    </div>
  )
}

function Sample({ type }: { readonly type: EventType }) {
  const { id: ws } = useWorkspace()
  const samples = useQuery(samplesQuery(ws, type.type))
  const latest = samples.data?.data[0]
  const happened = latest?.created_at ?? null
  const body = latest?.body ?? type.example
  return (
    <>
      <Text size="xs" c="dimmed" component="div" mb={4}>
        {happened === null ? (
          'Example of what you receive'
        ) : (
          <>
            Your latest event, <Time at={happened} as="relative" />
          </>
        )}
      </Text>
      <CodeBlock
        text={JSON.stringify(body, null, 2)}
        what={`sample of ${type.type}`}
        language="json"
        maxHeight="none"
      />
    </>
  )
}
