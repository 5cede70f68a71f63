import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Subject } from '../model/searchable.ts'
import { useWorkspace } from '../workspace/workspace.tsx'
import { Fact } from './Facts.tsx'
import { Untrusted } from './untrusted/Untrusted.tsx'

/** Longest query that the search accepts. It must contain a letter or digit. */
const LONGEST_QUESTION = 200
const canBeAsked = (value: string) => value.length <= LONGEST_QUESTION && /[\p{L}\p{N}]/u.test(value)

/** The subjects of an event. Each value links to all events with the same value. */
export function AboutFact({ subjects }: { readonly subjects: readonly Subject[] }) {
  const { ref } = useWorkspace()
  if (subjects.length === 0) return null
  return (
    <Fact name="About">
      {subjects.map(({ label, value }) => (
        <Text key={value} inherit component="div" lineClamp={3}>
          <Text span inherit c="dimmed">
            <Untrusted isName>{label}</Untrusted>
          </Text>{' '}
          {canBeAsked(value) ? (
            <Anchor
              inherit
              underline="always"
              renderRoot={(root) => (
                <Link {...root} to="/w/$ws/event-log" params={{ ws: ref }} search={{ q: value }} />
              )}
            >
              <Untrusted>{value}</Untrusted>
            </Anchor>
          ) : (
            <Untrusted>{value}</Untrusted>
          )}
        </Text>
      ))}
    </Fact>
  )
}
