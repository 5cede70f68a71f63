import { Button, Group, Table, Text } from '@mantine/core'
import { type Collision, type DraftField, FIELDS } from '../../../../model/draft.ts'
import type { WebhookInput } from '../../../../model/webhook.ts'
import { ChangedByOthers } from '../../../../shared/ChangedByOthers.tsx'
import { EventTypeBadges } from '../../../../shared/EventTypeBadges.tsx'
import { Untrusted } from '../../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../../workspace/workspace.tsx'

/** Compares unsaved changes with changes that someone else saved during the edit, and offers a choice. */
export function CollisionNotice(props: {
  readonly theirs: WebhookInput
  readonly mine: WebhookInput
  readonly collision: Collision
  readonly saving: boolean
  readonly onTakeTheirs: () => void
  readonly onSaveMine: () => void
}) {
  const { theirs, mine, collision, saving, onTakeTheirs, onSaveMine } = props
  const { noun } = useWorkspace().service.features
  const contested = collision.theirs.some((change) => change.contested)
  return (
    <ChangedByOthers title={`Someone else changed this ${noun}`}>
      <Text size="sm">
        {collision.theirs.length === 0
          ? 'The change does not affect this form. You can save your changes.'
          : contested
            ? 'Your changes are not saved yet. Choose a version for the fields that both of you changed. Your other changes stay in the form.'
            : 'Your changes are not saved yet. They changed other fields, so both changes can be kept.'}
      </Text>
      {collision.theirs.length > 0 && (
        <Table.ScrollContainer minWidth={420} type="native" scrollAreaProps={{}} tabIndex={0}>
          <Table verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Field</Table.Th>
                <Table.Th>Their version (saved)</Table.Th>
                <Table.Th>Your version</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {collision.theirs.map(({ field, contested: both }) => (
                <Table.Tr key={field}>
                  <Table.Th scope="row">{FIELDS[field].name}</Table.Th>
                  <Table.Td>
                    <Value input={theirs} field={field} />
                  </Table.Td>
                  <Table.Td>{both ? <Value input={mine} field={field} /> : 'not changed by you'}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Group>
        <Button size="sm" loading={saving} onClick={onSaveMine}>
          {contested ? 'Overwrite with my changes' : 'Save my changes'}
        </Button>
        <Button size="sm" variant="default" onClick={onTakeTheirs}>
          Use their changes
        </Button>
      </Group>
    </ChangedByOthers>
  )
}

function Value({ input, field }: { readonly input: WebhookInput; readonly field: DraftField }) {
  if (field === 'eventTypes') {
    return <EventTypeBadges types={input.eventTypes} shown={input.eventTypes.length} />
  }
  const value = input[field] ?? ''
  return value === '' ? 'empty' : <Untrusted mono={field === 'url'}>{String(value)}</Untrusted>
}
