import { Alert, Button, Group, Radio, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ConsumersApi } from '../../../api/consumers.ts'
import { errorText, isProblem } from '../../../api/problem.ts'
import { serverNow } from '../../../api/serverNow.ts'
import type { StartDraft } from '../../../model/consumer.ts'
import { mistakeInStart, startOf } from '../../../model/consumerStart.ts'
import { useIdempotencyKey } from '../../../shared/useIdempotencyKey.ts'
import { EventPicker } from '../../webhooks/form/EventPicker.tsx'
import { ConsumerForm, mistakeAt, useConsumerChange } from './ConsumerForm.tsx'
import { ReadGuide } from './ReadGuide.tsx'
import { NEW_START, StartFields, startMistake } from './StartFields.tsx'

interface Props {
  readonly api: ConsumersApi
  readonly onClose: () => void
}

/** Creates a consumer, then shows how to read it. */
export function CreateConsumer({ api, onClose }: Props) {
  const [created, setCreated] = useState<string | null>(null)
  if (created === null) return <CreateForm api={api} onClose={onClose} onCreated={setCreated} />
  return (
    <Stack>
      <Alert color="green" variant="light" role="status">
        The consumer {created} was created.
      </Alert>
      <ReadGuide api={api} name={created} />
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  )
}

interface Draft {
  readonly name: string
  /** `null`: all. */
  readonly eventTypes: readonly string[] | null
  readonly start: StartDraft
}

function CreateForm({ api, onClose, onCreated }: Props & { readonly onCreated: (name: string) => void }) {
  const [draft, setDraft] = useState<Draft>({ name: '', eventTypes: null, start: NEW_START })
  const [tried, setTried] = useState(false)
  const keyOf = useIdempotencyKey()
  const { eventTypes } = draft
  const name = draft.name.trim()
  const create = useConsumerChange(
    api,
    () => {
      const input = { name, ...(eventTypes === null ? {} : { eventTypes }), ...startOf(draft.start) }
      return api.create(input, keyOf(input))
    },
    () => onCreated(name),
  )
  const own = {
    name: name === '' ? 'Enter a name.' : null,
    eventTypes: eventTypes?.length === 0 ? 'Choose at least one event type.' : null,
    start: mistakeInStart(draft.start, serverNow()),
  }
  const said = {
    name: isProblem(create.error, 'consumer_exists')
      ? errorText(create.error)
      : mistakeAt(create.error, '/name'),
    eventTypes: mistakeAt(create.error, '/event_types') ?? mistakeAt(create.error, '/eventTypes'),
    start: startMistake(create.error, draft.start),
  }
  const errorOf = (field: keyof typeof own) => (tried ? (own[field] ?? said[field]) : null)
  const change = (changes: Partial<Draft>) => {
    setDraft({ ...draft, ...changes })
    setTried(false)
    create.reset()
  }
  return (
    <ConsumerForm
      action="Create consumer"
      change={create}
      isWrong={Object.values(own).some((mistake) => mistake !== null)}
      isShown={Object.values(said).some((mistake) => mistake !== null)}
      onTried={() => setTried(true)}
      onCancel={onClose}
    >
      <TextInput
        label="Name"
        description="Letters, digits, underscores and hyphens, such as crm-sync. You cannot change it later."
        required
        autoComplete="off"
        spellCheck={false}
        value={draft.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        error={errorOf('name')}
        data-autofocus
      />
      <Radio.Group
        label="Which event types"
        value={eventTypes === null ? 'all' : 'chosen'}
        onChange={(value) => change({ eventTypes: value === 'all' ? null : [] })}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label="All event types, including future ones" />
          <Radio value="chosen" label="Only selected event types" />
        </Stack>
      </Radio.Group>
      {eventTypes !== null && (
        <EventPicker
          value={eventTypes}
          onChange={(chosen) => change({ eventTypes: chosen })}
          error={errorOf('eventTypes')}
        />
      )}
      <StartFields
        label="Start with"
        draft={draft.start}
        onChange={(start) => change({ start })}
        error={errorOf('start')}
      />
    </ConsumerForm>
  )
}
