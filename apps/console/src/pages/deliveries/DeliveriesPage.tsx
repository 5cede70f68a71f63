import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { DeliverySearch } from '../../model/deliverySearch.ts'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { DeadNotice } from './DeadNotice.tsx'
import { DeliveryList } from './DeliveryList.tsx'
import { DeliveryFilters } from './filters/DeliveryFilters.tsx'
import type { FilterProps } from './filters/filterProps.ts'

/** What was sent to the workspace's webhooks, newest first, as it happens. */
export function DeliveriesPage() {
  const { ref, service, mayChange } = useWorkspace()
  const { noun, canReplayMany } = service.features
  const search: DeliverySearch = useSearch({ from: '/w/$ws/deliveries' })
  const navigate = useNavigate()
  const [round, setRound] = useState(0)
  const change: FilterProps['onChange'] = (filters) =>
    void navigate({
      to: '/w/$ws/deliveries',
      params: { ws: ref },
      // Other filters make another list, which begins with its newest.
      search: { ...search, ...filters, cursor: undefined, before: undefined },
      resetScroll: false,
    })
  return (
    <PageFrame
      title="Deliveries"
      lead={`Every event on its way to your ${noun}s, with each attempt. Open one to see what was sent and what came back.`}
    >
      {canReplayMany && mayChange && <DeadNotice search={search} />}
      <DeliveryFilters search={search} onChange={change} />
      <DeliveryList
        key={`${round} ${JSON.stringify(search)}`}
        search={search}
        round={round}
        onClear={() => void navigate({ to: '/w/$ws/deliveries', params: { ws: ref } })}
        onRefresh={() => setRound(round + 1)}
      />
    </PageFrame>
  )
}
