import '../events.css'
import { Anchor, Badge, Box, Code, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { plainText } from '../../../shared/untrusted/pieces.ts'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { fieldPath } from '../sample/fieldPath.ts'
import { Prose } from './Prose.tsx'
import type { SchemaMember } from './schemaMembers.ts'

const SHOWN_VALUES = 30

/** The members of a body, with nested members below. */
export function SchemaTree({
  members,
  path = [],
}: {
  readonly members: readonly SchemaMember[]
  readonly path?: readonly string[]
}) {
  return (
    <ul className={path.length === 0 ? 'ph-schema' : 'ph-schema ph-schema-inner'}>
      {members.map((member) => (
        <li key={member.name}>
          <Member member={member} path={[...path, member.name]} />
          {member.members.length > 0 && <SchemaTree members={member.members} path={[...path, member.name]} />}
        </li>
      ))}
    </ul>
  )
}

function Member({ member, path }: { readonly member: SchemaMember; readonly path: readonly string[] }) {
  const { name, type, required, description, allowed, examples, limits } = member
  return (
    <Box py={8}>
      <Group gap={8}>
        <Text span size="sm" fw={600} title={plainText(fieldPath(path, 'dots'))}>
          <Untrusted mono>{name}</Untrusted>
        </Text>
        <Text span size="sm" c="dimmed">
          <Untrusted>{[type, ...limits].join(', ')}</Untrusted>
        </Text>
        {!required && (
          <Badge size="sm" tt="none" variant="default">
            optional
          </Badge>
        )}
      </Group>
      {description !== '' && (
        <Text size="sm" maw={680} component="div">
          <Prose>{description}</Prose>
        </Text>
      )}
      <Values title={allowed.length === 1 ? 'Always' : 'One of'} values={allowed} />
      {allowed.length === 0 && <Values title="For example" values={examples} />}
    </Box>
  )
}

function Values({ title, values }: { readonly title: string; readonly values: readonly string[] }) {
  const [all, setAll] = useState(false)
  const shown = all ? values : values.slice(0, SHOWN_VALUES)
  if (values.length === 0) return null
  return (
    <Group gap={6} mt={2}>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      {shown.map((value) => (
        <Code key={value}>
          <Untrusted>{value}</Untrusted>
        </Code>
      ))}
      {values.length > shown.length && (
        <Anchor component="button" type="button" size="sm" onClick={() => setAll(true)}>
          and {values.length - shown.length} more
        </Anchor>
      )}
    </Group>
  )
}
