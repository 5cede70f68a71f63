import { Button, Checkbox, Group, Loader, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { isProblem } from '../../../../api/problem.ts'
import { serverNow } from '../../../../api/serverNow.ts'
import { summaryQuery } from '../../../../api/webhookSummaries.ts'
import type { DeliveryStatus } from '../../../../model/delivery.ts'
import { counted, deliveriesText } from '../../../../model/numbers.ts'
import { type RecoverChoice, recoverableText, recoverFilter } from '../../../../model/recoverChoice.ts'
import { failedWordOf } from '../../../../model/service.ts'
import type { Webhook } from '../../../../model/webhook.ts'
import { Dialog } from '../../../../shared/Dialog.tsx'
import { TooManySends } from '../../../../shared/manualSends/TooManySends.tsx'
import { Failure } from '../../../../shared/states.tsx'
import { useIdempotencyKey } from '../../../../shared/useIdempotencyKey.ts'
import { useWorkspace } from '../../../../workspace/workspace.tsx'
import { TimeFilter } from '../../../deliveries/filters/TimeFilter.tsx'
import { TypesFilter } from '../../../deliveries/filters/TypesFilter.tsx'
import { StillFailing } from './StillFailing.tsx'

/** Delay between the last change and the count, which is expensive. */
const COUNT_AFTER_MS = 400

interface Props {
  readonly webhook: Webhook
  readonly onClose: () => void
  readonly onStarted: (recoveryId: string) => void
}

/** Selects deliveries to recover, shows their number, and starts the recovery. */
export function RecoverDialog(props: Props & { readonly opened: boolean }) {
  const { opened, onClose } = props
  return (
    <Dialog opened={opened} onClose={onClose} title="Recover deliveries">
      {opened && <Choice {...props} />}
    </Dialog>
  )
}

function Choice({ webhook, onClose, onStarted }: Props) {
  const { id: ws, service, rules } = useWorkspace()
  const { id, state } = webhook
  const queryClient = useQueryClient()
  const all = useMemo(
    (): readonly DeliveryStatus[] => [failedWordOf(service.features), 'canceled'],
    [service],
  )
  const [choice, setChoice] = useState<RecoverChoice>({ search: { period: '24h' }, statuses: all })
  // The count and the start use the same times.
  const filter = useMemo(
    () => recoverFilter(choice, all, serverNow(), rules.retention_s),
    [choice, all, rules.retention_s],
  )
  const keyOf = useIdempotencyKey()
  const [countedFilter] = useDebouncedValue(filter, COUNT_AFTER_MS)
  const count = useQuery({
    queryKey: ['recoverable', ws, id, countedFilter],
    enabled: countedFilter !== null,
    queryFn: ({ signal }) => service.countRecoverable({ id, filter: countedFilter!, signal }),
  })
  const start = useMutation({
    mutationFn: () => service.recover({ id, filter: filter!, idempotencyKey: keyOf(filter) }),
    onSuccess: (recovery) => onStarted(recovery.id),
    onSettled: () => queryClient.invalidateQueries(summaryQuery(ws, id)),
  })
  const { recoversMissed } = service.features
  const total = count.data?.total ?? 0
  const missed = count.data?.missed
  const ended = total - (recoversMissed ? (missed?.count ?? 0) : 0)
  return (
    <Stack>
      {state.kind === 'failing' && <StillFailing since={state.since} />}
      <Filters webhook={webhook} choice={choice} all={all} onChange={setChoice} />
      <Text size="sm" role="status" component="div">
        {filter === null && 'Select at least one state, and a To that is later than From.'}
        {filter !== null && count.isPending && (
          <Group gap="xs">
            <Loader size="xs" /> Counting…
          </Group>
        )}
        {count.isSuccess &&
          `${recoverableText(ended, choice.statuses)}${ended === 0 ? '' : ' They are sent again with the same id and body, oldest first.'}`}
        {missed !== undefined && (missed.count > 0 || missed.hasMore) && (
          <>
            {' '}
            {missed.hasMore && 'At least '}
            {counted(missed.count, 'event')} {missed.count === 1 ? 'was' : 'were'} published while it was
            paused or disabled.{' '}
            {recoversMissed
              ? 'They are sent too.'
              : 'They are not sent. Your server can read them from the events API.'}
          </>
        )}
      </Text>
      {count.isError && <Failure error={count.error} retry={() => void count.refetch()} />}
      {isProblem(start.error, 'rate_limited') ? (
        <TooManySends problem={start.error} at={start.submittedAt} />
      ) : (
        start.isError && <Failure error={start.error} />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          loading={start.isPending}
          disabled={filter === null || total === 0 || filter !== countedFilter}
          onClick={() => start.mutate()}
          data-autofocus
        >
          {total === 0 ? 'Recover deliveries' : `Recover ${deliveriesText(total)}`}
        </Button>
      </Group>
    </Stack>
  )
}

/** Filters by time, event type and state. */
function Filters(props: {
  readonly webhook: Webhook
  readonly choice: RecoverChoice
  readonly all: readonly DeliveryStatus[]
  readonly onChange: (choice: RecoverChoice) => void
}) {
  const { webhook, choice, all, onChange } = props
  const { search, statuses } = choice
  const change = (changes: RecoverChoice['search']) =>
    onChange({ ...choice, search: { ...search, ...changes } })
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <TimeFilter search={search} onChange={change} />
        <TypesFilter
          value={search.type}
          onChange={(type) => change({ type })}
          {...(webhook.eventTypes.length === 0 ? {} : { only: webhook.eventTypes })}
        />
      </SimpleGrid>
      <Group gap="lg" role="group" aria-label="States">
        {all.map((status) => (
          <Checkbox
            key={status}
            label={status}
            checked={statuses.includes(status)}
            onChange={({ currentTarget: { checked } }) =>
              onChange({
                ...choice,
                statuses: all.filter((each) => (each === status ? checked : statuses.includes(each))),
              })
            }
          />
        ))}
      </Group>
    </>
  )
}
