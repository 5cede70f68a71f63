import { Text } from '@mantine/core'
import type { MissedEvents } from '../../../api/webhookSummaries.ts'
import { counted } from '../../../model/numbers.ts'
import { skippedWord } from '../../../model/sendWords.ts'
import { Time } from '../../../shared/Time.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { ShowMissed } from './ShowMissed.tsx'

/** Events missed during earlier pauses, or while the webhook was disabled earlier. */
export function EarlierMissed(props: {
  readonly earlier: NonNullable<MissedEvents['earlier']>
  readonly until: string
}) {
  const { earlier, until } = props
  const { recoversMissed } = useWorkspace().service.features
  const { count, more, since } = earlier
  const skipped = skippedWord(recoversMissed)
  return (
    <Text size="sm" component="div">
      It{' '}
      {count === 0
        ? `may have ${skipped} events`
        : `${skipped} ${more ? 'at least ' : ''}${counted(count, 'event')}`}{' '}
      during earlier interruptions. The first one began <Time at={since} as="short" />.{' '}
      {recoversMissed && 'You can recover them. '}
      <ShowMissed missed={{ since, until }} text="Show the events of that time" />
    </Text>
  )
}
