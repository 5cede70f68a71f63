import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { DeliverySearch } from '../../model/deliverySearch.ts'
import { withArticle } from '../../model/words.ts'
import { PageFrame } from '../../shared/PageFrame.tsx'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { DeadNotice } from './DeadNotice.tsx'
import { DeliveryList } from './DeliveryList.tsx'
import { DeliveryFilters } from './filters/DeliveryFilters.tsx'
import type { FilterProps } from './filters/filterProps.ts'

/** The deliveries of a workspace, newest first, with live updates. */
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
      // Other filters start a new list at its first page.
      search: { ...search, ...filters, cursor: undefined, before: undefined },
      resetScroll: false,
    })
  return (
    <PageFrame
      title="Deliveries"
      lead={`Each delivery of an event to ${withArticle(noun)}. Open one to see its attempts with requests and responses.`}
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
