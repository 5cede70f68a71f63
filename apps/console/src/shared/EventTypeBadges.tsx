import { Badge, Group, Tooltip } from '@mantine/core'
import { plainText } from './untrusted/pieces.ts'
import { Untrusted } from './untrusted/Untrusted.tsx'

/** The first event types, and the number of others. @param types empty: all */
export function EventTypeBadges({
  types,
  shown = 2,
}: {
  readonly types: readonly string[]
  readonly shown?: number
}) {
  if (types.length === 0) {
    return (
      <Badge color="gray" tt="none" fw={500}>
        all events
      </Badge>
    )
  }
  const rest = types.slice(shown)
  const others = plainText(rest.join(', '))
  return (
    <Group gap={4}>
      {types.slice(0, shown).map((type) => (
        <Badge key={type} color="gray" tt="none" fw={500}>
          <Untrusted isName>{type}</Untrusted>
        </Badge>
      ))}
      {rest.length > 0 && (
        <Tooltip label={others} events={{ hover: true, focus: true, touch: true }}>
          <Badge color="gray" tt="none" fw={500} aria-label={`and ${rest.length} more: ${others}`}>
            +{rest.length}
          </Badge>
        </Tooltip>
      )}
    </Group>
  )
}
