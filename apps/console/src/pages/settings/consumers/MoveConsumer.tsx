import { Text } from '@mantine/core'
import { useState } from 'react'
import type { ConsumersApi } from '../../../api/consumers.ts'
import { serverNow } from '../../../api/serverNow.ts'
import type { Consumer, StartDraft, StartKind } from '../../../model/consumer.ts'
import { mistakeInStart, startOf } from '../../../model/consumerStart.ts'
import { showDone } from '../../../shared/notify.ts'
import { useIdempotencyKey } from '../../../shared/useIdempotencyKey.ts'
import { ConsumerForm, useConsumerChange } from './ConsumerForm.tsx'
import { NEW_START, StartFields, startMistake } from './StartFields.tsx'

/** Consequences of a move by its target. */
const CONSEQUENCES: Readonly<Record<StartKind, string>> = {
  now: 'Waiting events are skipped: this consumer never gets them.',
  oldest: 'All stored events are returned again.',
  since:
    'Events since that time are returned, even if they were read before. Earlier waiting events are skipped.',
  after:
    'Events after that one are returned, even if they were read before. Earlier waiting events are skipped.',
}

/** Asks for a new position, shows the consequences, and moves the consumer. */
export function MoveConsumer(props: {
  readonly api: ConsumersApi
  readonly consumer: Consumer
  readonly onClose: () => void
}) {
  const { api, consumer, onClose } = props
  const { name } = consumer
  const [draft, setDraft] = useState<StartDraft>({ ...NEW_START, kind: 'oldest' })
  const [tried, setTried] = useState(false)
  const keyOf = useIdempotencyKey()
  const move = useConsumerChange(
    api,
    () => {
      const to = startOf(draft)
      return api.move(name, to, keyOf(to))
    },
    () => {
      showDone(`The consumer ${name} was moved.`)
      onClose()
    },
  )
  const own = mistakeInStart(draft, serverNow())
  const said = startMistake(move.error, draft)
  return (
    <ConsumerForm
      action="Move consumer"
      change={move}
      isWrong={own !== null}
      isShown={said !== null}
      onTried={() => setTried(true)}
      onCancel={onClose}
    >
      <StartFields
        label="Continue with"
        draft={draft}
        onChange={(changed) => {
          setDraft(changed)
          setTried(false)
          move.reset()
        }}
        error={tried ? (own ?? said) : null}
      />
      <Text size="sm">
        {CONSEQUENCES[draft.kind]} Events that were read before the move can no longer be acknowledged, and
        open streams end.
      </Text>
    </ConsumerForm>
  )
}
