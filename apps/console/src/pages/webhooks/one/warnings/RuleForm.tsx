import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { WarnRule, Webhook } from '../../../../model/webhook.ts'
import { showDone } from '../../../../shared/notify.ts'
import { Failure } from '../../../../shared/states.tsx'
import { useWorkspace } from '../../../../workspace/workspace.tsx'
import { useShowVersion } from '../useWebhookChange.ts'

const FIRST: WarnRule = { failures: 5, share: 0.5, deliveries: 10, afterSeconds: 600 }

/** Form for the early-warning rule of a webhook. Empty conditions are ignored. */
export function RuleForm(props: {
  readonly webhook: Webhook
  readonly usual: WarnRule | null
  readonly onEnd: () => void
}) {
  const { webhook, usual, onEnd } = props
  const { service } = useWorkspace()
  const show = useShowVersion()
  const began = webhook.warn ?? usual ?? FIRST
  const [failures, setFailures] = useState(textOf(began.failures))
  const [percent, setPercent] = useState(textOf(began.share === null ? null : Math.round(began.share * 100)))
  const [deliveries, setDeliveries] = useState(textOf(began.deliveries))
  const [minutes, setMinutes] = useState(textOf(Math.round(began.afterSeconds / 60)))
  const save = useMutation({
    mutationFn: (warn: WarnRule | null) =>
      service.updateWebhook({ id: webhook.id, changes: { warn }, etag: null }),
    onSuccess: (version) => {
      show(version)
      showDone('The rule was changed.')
      onEnd()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const share = numberOf(percent)
    save.mutate({
      failures: numberOf(failures),
      share: share === null ? null : share / 100,
      deliveries: numberOf(deliveries) ?? FIRST.deliveries,
      afterSeconds: (numberOf(minutes) ?? 10) * 60,
    })
  }
  const number = { type: 'number', inputMode: 'numeric', step: 1 } as const
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">Warn owners when either condition is met. Leave a condition empty to ignore it.</Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            {...number}
            label="Consecutive failed attempts"
            min={1}
            max={1000}
            value={failures}
            onChange={(event) => setFailures(event.currentTarget.value)}
          />
          <TextInput
            {...number}
            label="Failed deliveries in the last hour (%)"
            min={1}
            max={100}
            value={percent}
            onChange={(event) => setPercent(event.currentTarget.value)}
          />
          <TextInput
            {...number}
            label="Minimum deliveries"
            min={1}
            max={500}
            required
            value={deliveries}
            onChange={(event) => setDeliveries(event.currentTarget.value)}
          />
          <TextInput
            {...number}
            label="Minutes after the first failure (10 or more)"
            min={10}
            max={1440}
            required
            value={minutes}
            onChange={(event) => setMinutes(event.currentTarget.value)}
          />
        </SimpleGrid>
        {save.isError && <Failure error={save.error} />}
        <Group justify="flex-end">
          {webhook.warn !== null && (
            <Button variant="default" loading={save.isPending} onClick={() => save.mutate(null)}>
              Use default rule
            </Button>
          )}
          <Button variant="default" onClick={onEnd}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save rule
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const textOf = (value: number | null): string => (value === null ? '' : String(value))
const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text))
