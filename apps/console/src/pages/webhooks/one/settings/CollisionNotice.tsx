import { Button, Group, Table, Text } from '@mantine/core'
import { type Collision, type DraftField, FIELDS } from '../../../../model/draft.ts'
import type { WebhookInput } from '../../../../model/webhook.ts'
import { ChangedByOthers } from '../../../../shared/ChangedByOthers.tsx'
import { EventTypeBadges } from '../../../../shared/EventTypeBadges.tsx'
import { Untrusted } from '../../../../shared/untrusted/Untrusted.tsx'

/** Somebody changed the webhook while it was edited here: what they changed against what was typed, and a choice. */
export function CollisionNotice(props: {
  readonly theirs: WebhookInput
  readonly mine: WebhookInput
  readonly collision: Collision
  readonly saving: boolean
  readonly onTakeTheirs: () => void
  readonly onSaveMine: () => void
}) {
  const { theirs, mine, collision, saving, onTakeTheirs, onSaveMine } = props
  const contested = collision.theirs.some((change) => change.contested)
  return (
    <ChangedByOthers title="Somebody else changed it meanwhile">
      <Text size="sm">
        {collision.theirs.length === 0
          ? 'Nothing that stands in this form. You can save yours.'
          : contested
            ? 'Nothing of yours is saved yet. Where you both changed the same, one of you wins; what only you changed stays in the form either way.'
            : 'Nothing of yours is saved yet. They changed other things than you did, so both fit together.'}
      </Text>
      {collision.theirs.length > 0 && (
        <Table.ScrollContainer minWidth={420} type="native" scrollAreaProps={{}}>
          <Table verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>What</Table.Th>
                <Table.Th>Theirs, now in force</Table.Th>
                <Table.Th>Yours</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {collision.theirs.map(({ field, contested: both }) => (
                <Table.Tr key={field}>
                  <Table.Th scope="row">{FIELDS[field].name}</Table.Th>
                  <Table.Td>
                    <Value input={theirs} field={field} />
                  </Table.Td>
                  <Table.Td>
                    {both ? <Value input={mine} field={field} /> : 'not changed here: theirs stays'}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Group>
        <Button size="sm" loading={saving} onClick={onSaveMine}>
          {contested ? 'Save mine over theirs' : 'Save mine as well'}
        </Button>
        <Button size="sm" variant="default" onClick={onTakeTheirs}>
          Take theirs
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
