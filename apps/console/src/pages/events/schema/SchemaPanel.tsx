import '@mantine/core/styles/Tabs.css'
import { Anchor, Card, Stack, Tabs, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { eventSchemaQuery, eventSchemaUrl, type JsonSchema } from '../../../api/eventSchema.ts'
import { isProblem } from '../../../api/problem.ts'
import { CodeBlock } from '../../../shared/CodeBlock.tsx'
import { Failure, Loading } from '../../../shared/states.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { SchemaTree } from './SchemaTree.tsx'
import { schemaMembers } from './schemaMembers.ts'

/** The schema of an event type's bodies: as a list of fields, and as JSON Schema. */
export function SchemaPanel({ type }: { readonly type: string }) {
  const { service } = useWorkspace()
  const { view = 'fields' } = useSearch({ from: '/w/$ws/events/$type' })
  const navigate = useNavigate({ from: '/w/$ws/events/$type' })
  const schema = useQuery(eventSchemaQuery(service.name, type))
  const hasNone = isProblem(schema.error) && schema.error.status === 404
  const choose = (chosen: string | null) =>
    void navigate({
      search: chosen === 'schema' ? { view: 'schema' } : {},
      replace: true,
      resetScroll: false,
    })
  return (
    <Card withBorder component="section" padding="lg">
      <Stack>
        <Title order={2}>Schema</Title>
        {schema.isPending && <Loading />}
        {hasNone && <Text size="sm">This event type has no schema: its data can be any JSON object.</Text>}
        {schema.isError && !hasNone && <Failure error={schema.error} retry={() => void schema.refetch()} />}
        {schema.isSuccess && (
          <Tabs value={view} onChange={choose}>
            <Tabs.List mb="sm">
              <Tabs.Tab value="fields">Fields</Tabs.Tab>
              <Tabs.Tab value="schema">JSON Schema</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="fields">
              <Fields schema={schema.data} />
            </Tabs.Panel>
            <Tabs.Panel value="schema">
              <Stack gap="xs">
                <CodeBlock
                  text={JSON.stringify(schema.data, null, 2)}
                  what="JSON Schema"
                  language="json"
                  maxHeight={560}
                />
                <Anchor size="sm" href={eventSchemaUrl(service.name, type)} target="_blank" rel="noreferrer">
                  Open JSON Schema
                </Anchor>
              </Stack>
            </Tabs.Panel>
          </Tabs>
        )}
      </Stack>
    </Card>
  )
}

function Fields({ schema }: { readonly schema: JsonSchema }) {
  const members = schemaMembers(schema)
  if (members.length === 0) return <Text size="sm">The schema has no fields: any JSON object is valid.</Text>
  return (
    <>
      <Text size="sm" c="dimmed">
        The fields of a request body. Fields are always present unless they are marked as optional.
      </Text>
      <SchemaTree members={members} />
    </>
  )
}
