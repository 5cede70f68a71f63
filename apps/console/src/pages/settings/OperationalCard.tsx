import { Button, Card, Checkbox, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { isProblem } from '../../api/problem.ts'
import {
  OPERATIONAL_TYPES,
  type OperationalApi,
  type OperationalWebhook,
  type OperationalWithSecret,
} from '../../model/operational.ts'
import { CopyIcon } from '../../shared/Copy.tsx'
import { showDone, showFailure } from '../../shared/notify.ts'
import { Failure, Loading } from '../../shared/states.tsx'
import { Time } from '../../shared/Time.tsx'
import { plainText } from '../../shared/untrusted/pieces.ts'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import { useIdempotencyKey } from '../../shared/useIdempotencyKey.ts'
import { SecretOmitted } from '../webhooks/created/SecretOmitted.tsx'
import { SecretOnce } from '../webhooks/created/SecretOnce.tsx'
import { Confirmation } from './Confirmation.tsx'

interface Props {
  readonly api: OperationalApi
  readonly mayChange: boolean
}

const queryKeyOf = ({ key }: OperationalApi) => ['operational-webhook', key]

/** The webhook that receives events about the workspace's other webhooks. */
export function OperationalCard({ api, mayChange }: Props) {
  const read = useQuery({ queryKey: queryKeyOf(api), queryFn: ({ signal }) => api.get(signal) })
  const [made, setMade] = useState<OperationalWithSecret | null>(null)
  const [stored, setStored] = useState(false)
  const [editing, setEditing] = useState(false)
  const done = () => {
    setMade(null)
    setStored(false)
  }
  return (
    <Card withBorder component="section">
      <Stack gap="sm">
        <Title order={2}>Operational webhook</Title>
        <Text size="sm">
          Sends you a signed request when a webhook of this workspace is failing, recovers or is disabled, and
          when a delivery fails. Signatures follow Standard Webhooks.
        </Text>
        {read.isError && <Failure error={read.error} retry={() => void read.refetch()} />}
        {read.isPending && <Loading rows={1} />}
        {made !== null &&
          (made.secret === null ? (
            <SecretOmitted>Rotate the secret to get a new one.</SecretOmitted>
          ) : (
            <>
              <SecretOnce secret={made.secret} stored={stored} onStored={setStored} />
              <Group justify="flex-end">
                <Button disabled={!stored} onClick={done}>
                  Done
                </Button>
              </Group>
            </>
          ))}
        {read.isSuccess && read.data === null && !mayChange && (
          <Text size="sm">There is no operational webhook. Owners can add one.</Text>
        )}
        {read.isSuccess && mayChange && (read.data === null || editing) && (
          <AddressForm api={api} known={read.data} onMade={setMade} onEnd={() => setEditing(false)} />
        )}
        {read.isSuccess && read.data !== null && !editing && (
          <Known
            api={api}
            webhook={read.data}
            mayChange={mayChange}
            onMade={setMade}
            onEdit={() => setEditing(true)}
          />
        )}
      </Stack>
    </Card>
  )
}

function AddressForm(props: {
  readonly api: OperationalApi
  /** `null`: it is a new one. */
  readonly known: OperationalWebhook | null
  readonly onMade: (made: OperationalWithSecret) => void
  readonly onEnd: () => void
}) {
  const { api, known, onMade, onEnd } = props
  const queryClient = useQueryClient()
  const keyFor = useIdempotencyKey()
  const [url, setUrl] = useState(known?.url ?? '')
  const [events, setEvents] = useState<readonly string[]>(
    known === null || known.events.length === 0 ? OPERATIONAL_TYPES.map(([type]) => type) : known.events,
  )
  const save = useMutation({
    gcTime: 0,
    mutationFn: async () => {
      const input = { url: url.trim(), events: events.length === OPERATIONAL_TYPES.length ? [] : events }
      if (known !== null) return { webhook: await api.update(input), secret: null }
      return api.create(input, keyFor(input))
    },
    onSuccess: (made) => {
      queryClient.setQueryData(queryKeyOf(api), made.webhook)
      if (known === null) onMade(made)
      else showDone('The operational webhook was changed.')
      onEnd()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const mistake = isProblem(save.error) ? save.error.mistakeAt('/url') : null
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="URL of the operational webhook"
          placeholder="https://example.com/posthorn-operations"
          type="url"
          required
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={mistake === null ? null : plainText(mistake)}
        />
        <Stack gap={6}>
          {OPERATIONAL_TYPES.map(([type, label]) => (
            <Checkbox
              key={type}
              label={`${label} (${type})`}
              checked={events.includes(type)}
              onChange={(event) => {
                const { checked } = event.currentTarget
                setEvents((now) => (checked ? [...now, type] : now.filter((one) => one !== type)))
              }}
            />
          ))}
        </Stack>
        {save.isError && mistake === null && <Failure error={save.error} />}
        <Group justify="flex-end">
          {known !== null && (
            <Button variant="default" onClick={onEnd}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={save.isPending} disabled={events.length === 0}>
            {known === null ? 'Add operational webhook' : 'Save operational webhook'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Known(props: {
  readonly api: OperationalApi
  readonly webhook: OperationalWebhook
  readonly mayChange: boolean
  readonly onMade: (made: OperationalWithSecret) => void
  readonly onEdit: () => void
}) {
  const { api, webhook, mayChange, onMade, onEdit } = props
  const { url, events, failingSince } = webhook
  return (
    <Stack gap="xs">
      <Group gap={4} wrap="nowrap">
        <Untrusted mono>{url}</Untrusted>
        <CopyIcon value={url} what="URL" />
      </Group>
      <Text size="sm">
        {events.length === 0 ? 'It receives all operational events.' : `It receives ${events.join(', ')}.`}
      </Text>
      {failingSince !== null && (
        <Text size="sm" c="var(--ph-bad)">
          Its receiver has been failing since <Time at={failingSince} />. It is never disabled.
        </Text>
      )}
      {mayChange && <Actions api={api} id={webhook.id} onMade={onMade} onEdit={onEdit} />}
    </Stack>
  )
}

function Actions(props: {
  readonly api: OperationalApi
  readonly id: string
  readonly onMade: (made: OperationalWithSecret) => void
  readonly onEdit: () => void
}) {
  const { api, id, onMade, onEdit } = props
  const queryClient = useQueryClient()
  const keyFor = useIdempotencyKey()
  const [asked, setAsked] = useState<'rotate' | 'delete' | null>(null)
  const close = () => setAsked(null)
  const test = useMutation({
    mutationFn: () => api.test(),
    onSuccess: () => showDone('A test was sent.'),
    onError: (error) => showFailure('The test was not sent', error),
  })
  const rotate = useMutation({
    gcTime: 0,
    mutationFn: () => api.rotate(keyFor(id)),
    onSuccess: onMade,
    onError: (error) => showFailure('The secret was not rotated', error),
    onSettled: close,
  })
  const remove = useMutation({
    mutationFn: () => api.remove(),
    onSuccess: () => {
      queryClient.setQueryData(queryKeyOf(api), null)
      showDone('The operational webhook was deleted.')
    },
    onError: (error) => showFailure('The operational webhook was not deleted', error),
    onSettled: close,
  })
  return (
    <Group gap="xs">
      <Button variant="default" size="xs" onClick={onEdit}>
        Edit operational webhook
      </Button>
      <Button variant="default" size="xs" loading={test.isPending} onClick={() => test.mutate()}>
        Send a test
      </Button>
      <Button variant="default" size="xs" onClick={() => setAsked('rotate')}>
        Rotate secret
      </Button>
      <Button variant="default" size="xs" color="red" onClick={() => setAsked('delete')}>
        Delete operational webhook
      </Button>
      <Confirmation
        opened={asked === 'rotate'}
        onClose={close}
        title="Rotate secret of the operational webhook?"
        consequence="For 24 hours, requests are signed with the old and the new secret. After that, only the new one is valid."
        action="Rotate secret"
        pending={rotate.isPending}
        onConfirm={() => rotate.mutate()}
      />
      <Confirmation
        opened={asked === 'delete'}
        onClose={close}
        title="Delete the operational webhook?"
        consequence="No more events are sent to it, and pending deliveries are canceled. This cannot be undone."
        action="Delete operational webhook"
        color="red"
        pending={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </Group>
  )
}
