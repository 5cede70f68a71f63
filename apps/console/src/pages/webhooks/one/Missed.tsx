import { Anchor, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import type { MissedEvents } from '../../../api/webhookSummaries.ts'
import { counted, countText } from '../../../model/numbers.ts'
import { skippedWord } from '../../../model/sendWords.ts'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { ShowMissed } from './ShowMissed.tsx'

// Few webhooks were interrupted more than once.
const EarlierMissed = lazy(async () => ({ default: (await import('./EarlierMissed.tsx')).EarlierMissed }))
const CatchUp = lazy(async () => ({ default: (await import('./CatchUp.tsx')).CatchUp }))

/** Events that a webhook missed while it was disabled or paused, and how to fetch them. */
export function Missed({ missed }: { readonly missed: MissedEvents }) {
  const { earlier, since } = missed
  return (
    <>
      <Latest missed={missed} />
      {earlier !== null && (
        <Suspense fallback={null}>
          <EarlierMissed earlier={earlier} until={since} />
        </Suspense>
      )}
    </>
  )
}

/** Events missed during the current or the latest interruption. */
function Latest({ missed }: { readonly missed: MissedEvents }) {
  const [unfolded, setUnfolded] = useState(false)
  const { recoversMissed } = useWorkspace().service.features
  const { count, more, since, until, types } = missed
  const skipped = skippedWord(recoversMissed)
  if (count === 0 && !more) {
    return until === null ? <Text size="sm">It has not {skipped} any events since then.</Text> : null
  }
  return (
    <Stack gap={6} w="100%">
      <Text size="sm" component="div">
        It {until === null && 'has '}
        {skipped}{' '}
        <Text span inherit fw={600} className="ph-numbers">
          {more ? 'at least ' : ''}
          {counted(count, 'event')}
        </Text>{' '}
        {until === null ? (
          <>
            since <Time at={since} as="short" />
          </>
        ) : (
          <>
            from <Time at={since} as="short" /> to <Time at={until} as="short" />, while it was disabled or
            paused
          </>
        )}
        {types.length > 1 && (
          <>
            {' ('}
            <Types types={types} />)
          </>
        )}
        {'. '}
        {recoversMissed
          ? 'You can recover them.'
          : 'They are not sent later, and cannot be sent from here. Your server can read them from the events API.'}{' '}
        <Anchor
          component="button"
          type="button"
          size="sm"
          underline="always"
          aria-expanded={unfolded}
          onClick={() => setUnfolded(!unfolded)}
        >
          {unfolded ? 'Hide command' : 'Show command'}
        </Anchor>
        {' · '}
        <ShowMissed missed={missed} text="Show these events" />
      </Text>
      {unfolded && (
        <Suspense fallback={null}>
          <CatchUp cursor={missed.cursor} />
        </Suspense>
      )}
    </Stack>
  )
}

const Types = ({ types }: Pick<MissedEvents, 'types'>) =>
  types.map(({ type, count }, index) => (
    <span key={type}>
      {index > 0 && ', '}
      {countText(count)}{' '}
      <Untrusted mono isName>
        {type}
      </Untrusted>
    </span>
  ))
