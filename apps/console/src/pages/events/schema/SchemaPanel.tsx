import '@mantine/core/styles/Tabs.css'
import { Anchor, Card, Stack, Tabs, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { eventSchemaQuery, eventSchemaUrl } from '../../../api/eventSchema.ts'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { Failure, Loading } from '../../../shared/states.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { SchemaTree } from './SchemaTree.tsx'
import { schemaMembers } from './schemaMembers.ts'

/** What is in the bodies of an event type: in words, and as JSON Schema. */
export function SchemaPanel({ type }: { readonly type: string }) {
  const { service } = useWorkspace()
  const { view = 'fields' } = useSearch({ from: '/w/$ws/events/$type' })
  const navigate = useNavigate({ from: '/w/$ws/events/$type' })
  const schema = useQuery(eventSchemaQuery(service.dialect, type))
  const choose = (chosen: string | null) =>
    void navigate({
      search: chosen === 'schema' ? { view: 'schema' } : {},
      replace: true,
      resetScroll: false,
    })
  return (
    <Card withBorder component="section" padding="lg">
      <Stack>
        <Title order={2}>What is in it</Title>
        {schema.isPending && <Loading />}
        {schema.isError && <Failure error={schema.error} retry={() => void schema.refetch()} />}
        {schema.isSuccess && (
          <Tabs value={view} onChange={choose}>
            <Tabs.List mb="sm">
              <Tabs.Tab value="fields">Fields</Tabs.Tab>
              <Tabs.Tab value="schema">JSON Schema</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="fields">
              <Text size="sm" c="dimmed">
                What a request body holds. A field is always there unless it is marked as optional.
              </Text>
              <SchemaTree members={schemaMembers(schema.data)} />
            </Tabs.Panel>
            <Tabs.Panel value="schema">
              <Stack gap="xs">
                <CodeBlock text={JSON.stringify(schema.data, null, 2)} what="JSON Schema" maxHeight={560} />
                <Anchor
                  size="sm"
                  href={eventSchemaUrl(service.dialect, type)}
                  target="_blank"
                  rel="noreferrer"
                >
                  Open it at its address
                </Anchor>
              </Stack>
            </Tabs.Panel>
          </Tabs>
        )}
      </Stack>
    </Card>
  )
}
