import { Radio, Stack, Textarea } from '@mantine/core'
import type { Draft } from '../../../model/draft.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'
import { EventPicker } from './EventPicker.tsx'
import { LimitFields } from './LimitFields.tsx'
import type { Refusals } from './refusals.ts'
import { UrlField } from './UrlField.tsx'

const LONGEST_DESCRIPTION = 1_000

/** The form fields of a webhook, for adding and editing it. */
export function WebhookFields(props: {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly refusals: Refusals
  /** The current URL of the webhook. */
  readonly currentUrl?: string
}) {
  const { canTakeAllTypes, noun } = useWorkspace().service.features
  const { draft, onChange, refusals, currentUrl } = props
  return (
    <Stack gap="lg">
      <UrlField
        value={draft.url}
        onChange={(url) => onChange({ ...draft, url })}
        refusal={refusals.url}
        {...(currentUrl === undefined ? {} : { current: currentUrl })}
      />
      <Textarea
        label="Description"
        description="For you and your colleagues, such as its purpose and who maintains it"
        placeholder={`The staging ${noun} of the newsletter team`}
        name="description"
        autosize
        minRows={1}
        maxRows={5}
        maxLength={LONGEST_DESCRIPTION}
        value={draft.description}
        onChange={(event) => onChange({ ...draft, description: event.currentTarget.value })}
        error={refusals.description}
      />
      {canTakeAllTypes && (
        <Radio.Group
          label="Which event types"
          value={draft.allTypes ? 'all' : 'chosen'}
          onChange={(value) => onChange({ ...draft, allTypes: value === 'all' })}
        >
          <Stack gap="xs" mt={6}>
            <Radio
              value="all"
              label="All event types, including future ones"
              description="New event types are sent automatically. Respond with 2xx to types you do not know."
            />
            <Radio value="chosen" label="Only selected event types" />
          </Stack>
        </Radio.Group>
      )}
      {!draft.allTypes && (
        <EventPicker
          value={draft.eventTypes}
          onChange={(eventTypes) => onChange({ ...draft, eventTypes })}
          error={refusals.eventTypes}
        />
      )}
      <LimitFields draft={draft} onChange={onChange} refusals={refusals} />
    </Stack>
  )
}
