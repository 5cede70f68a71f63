import { Alert, Code } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type EventType, eventTypesQuery } from '../../api/eventTypes.ts'
import { isEventTypeName } from '../../model/eventTypeName.ts'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { Failure, Loading } from '../../shared/states.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { SamplePanel } from './sample/SamplePanel.tsx'
import { Prose } from './schema/Prose.tsx'
import { SchemaPanel } from './schema/SchemaPanel.tsx'
import { Takers } from './Takers.tsx'

/** An event type: its description, subscribers, schema and samples. */
export function EventTypePage() {
  const { id, ref, service } = useWorkspace()
  const { type: name } = useParams({ from: '/w/$ws/events/$type' })
  const types = useQuery(eventTypesQuery(id))
  const trail = [{ to: `/w/${ref}/events`, label: 'Event types' }]
  const type = types.data?.find((one) => one.type === name)
  if (type !== undefined) return <Page type={type} trail={trail} />
  if (types.isSuccess && service.features.openCatalog && isEventTypeName(name)) {
    return (
      <PageFrame title={name} trail={trail} lead="This event type is not in the catalog of the service.">
        <Takers type={{ type: name, subscribable: true }} />
        <SamplePanel type={{ type: name, example: null }} />
      </PageFrame>
    )
  }
  return (
    <PageFrame title={name} trail={trail}>
      {types.isPending && <Loading />}
      {types.isError && <Failure error={types.error} retry={() => void types.refetch()} />}
      {types.isSuccess && (
        <Alert color="yellow" variant="light">
          There is no such event type. Check its name in the list of event types.
        </Alert>
      )}
    </PageFrame>
  )
}

function Page(props: {
  readonly type: EventType
  readonly trail: readonly { readonly to: string; readonly label: string }[]
}) {
  const { type, trail } = props
  return (
    <PageFrame
      title={type.title}
      trail={trail}
      badge={
        <Code>
          <Untrusted isName>{type.type}</Untrusted>
        </Code>
      }
      lead={<Prose>{type.description}</Prose>}
    >
      <Takers type={type} />
      <SchemaPanel type={type.type} />
      <SamplePanel type={type} />
    </PageFrame>
  )
}
