import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { isProblem } from '../../../../api/problem.ts'
import {
  changesBetween,
  collisionOf,
  differingFields,
  draftOf,
  inputOf,
  missingIn,
} from '../../../../model/draft.ts'
import type { WebhookInput, WebhookVersion } from '../../../../model/webhook.ts'
import { showDone } from '../../../../shared/notify.ts'
import { Failure } from '../../../../shared/states.tsx'
import { useFocusOnMistake } from '../../../../shared/useFocusOnMistake.ts'
import { useWorkspace } from '../../../../workspace/workspace.tsx'
import { isGeneral, refusalsOf } from '../../form/refusals.ts'
import { WebhookFields } from '../../form/WebhookFields.tsx'
import { useShowVersion } from '../useWebhookChange.ts'
import { CollisionNotice } from './CollisionNotice.tsx'

/** An update from a known version. It sends only changed fields, and is rejected if the webhook was changed since. */
interface Attempt {
  readonly from: WebhookVersion
  readonly input: WebhookInput
}

/** @param began the version that the form started from */
export function EditForm({ began, onEnd }: { readonly began: WebhookVersion; readonly onEnd: () => void }) {
  const { service } = useWorkspace()
  const show = useShowVersion()
  const form = useRef<HTMLFormElement>(null)
  const focusOnMistake = useFocusOnMistake(form)
  const [from, setFrom] = useState(began)
  const [draft, setDraft] = useState(() => draftOf(began.webhook))
  const [tried, setTried] = useState(false)
  const [theirs, setTheirs] = useState<WebhookVersion | null>(null)
  const id = from.webhook.id
  const save = useMutation({
    mutationFn: ({ from: { webhook, etag }, input }: Attempt) =>
      service.updateWebhook({ id, changes: changesBetween(webhook, input), etag }),
    onSuccess: (version) => {
      show(version)
      showDone('Saved.')
      onEnd()
    },
    onError: async (error) => {
      if (!isProblem(error, 'version_mismatch')) focusOnMistake()
      // If their version cannot be read, the rejection is shown, and saving again repeats the read.
      else setTheirs(await service.getWebhook({ id }).catch(() => null))
    },
  })
  const refusals = refusalsOf({ draft, error: save.error, sent: save.variables?.input, tried })
  const submit = () => {
    setTried(true)
    const input = inputOf(draft)
    if (Object.keys(missingIn(draft)).length > 0) focusOnMistake()
    else if (differingFields(from.webhook, input).length === 0) onEnd()
    else save.mutate({ from, input })
  }
  const collision = theirs === null ? null : collisionOf(from.webhook, theirs.webhook, inputOf(draft))
  /** Continues from their version with this input. */
  const goOnFrom = (version: WebhookVersion, input: WebhookInput) => {
    setFrom(version)
    setDraft(draftOf(input))
    setTheirs(null)
    save.reset()
  }
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending && theirs === null) submit()
      }}
    >
      <Stack gap="lg">
        <WebhookFields draft={draft} onChange={setDraft} refusals={refusals} currentUrl={from.webhook.url} />
        {theirs !== null && collision !== null && (
          <CollisionNotice
            theirs={theirs.webhook}
            mine={inputOf(draft)}
            collision={collision}
            saving={save.isPending}
            onTakeTheirs={() => goOnFrom(theirs, collision.yielded)}
            onSaveMine={() => {
              const { merged } = collision
              goOnFrom(theirs, merged)
              if (differingFields(theirs.webhook, merged).length === 0) onEnd()
              else save.mutate({ from: theirs, input: merged })
            }}
          />
        )}
        {save.isError && theirs === null && isGeneral(save.error) && <Failure error={save.error} />}
        {theirs === null && (
          <Group>
            <Button type="submit" loading={save.isPending}>
              Save changes
            </Button>
            <Button variant="default" onClick={onEnd}>
              Cancel
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}
