import './deliveries.css'
import { Checkbox, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Delivery } from '../../model/delivery.ts'
import { groupedByEvent } from '../../model/sameEvent.ts'
import { shortId } from '../../model/shortId.ts'
import { capitalized } from '../../model/words.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'
import { DeliveryRow } from './DeliveryRow.tsx'
import type { Selection } from './useSelection.ts'
import { useWaitsFor } from './useWaitsFor.ts'
import { useWebhookNames } from './useWebhookNames.ts'

/** @param selection `null`: rows cannot be selected */
export function DeliveryTable(props: {
  readonly rows: readonly Delivery[]
  readonly withWebhook: boolean
  readonly selection: Selection | null
  /** Used if rows can be selected; `null`: not possible now. */
  readonly onReplay?: ((delivery: Delivery) => void) | null
  /** Actions at the end of a row. */
  readonly actionsOf?: (delivery: Delivery) => ReactNode
}) {
  const { rows, withWebhook, selection, onReplay = NOTHING, actionsOf = null } = props
  const { ref, service } = useWorkspace()
  const { noun, resend } = service.features
  const names = useWebhookNames(withWebhook)
  const waitsFor = useWaitsFor(withWebhook ? null : (rows[0]?.webhookId ?? null))
  const from = resend?.from ?? []
  const replayable = rows.filter(({ status }) => from.includes(status)).map(({ id }) => id)
  const chosen = selection === null ? 0 : replayable.filter((id) => selection.chosen.has(id)).length
  // Hides the column if no row can be selected.
  const selects = selection !== null && replayable.length > 0
  return (
    <table className="ph-deliveries">
      <thead>
        <tr>
          {selects && (
            <th className="ph-narrow">
              <Checkbox
                size="xs"
                aria-label={`Select all ${from.join(' and ')} deliveries on this page`}
                checked={chosen > 0 && chosen === replayable.length}
                indeterminate={chosen > 0 && chosen < replayable.length}
                onChange={(event) => selection.selectAll(event.currentTarget.checked ? replayable : [])}
              />
            </th>
          )}
          <th className="ph-state">State</th>
          <th className="ph-event">Event</th>
          {withWebhook && <th className="ph-webhook">{capitalized(noun)}</th>}
          <th className="ph-outcome">Latest response</th>
          <th className="ph-count">Attempts</th>
          <th className="ph-when">Created</th>
          {selects && (
            <th className="ph-narrow">
              <VisuallyHidden>Replay</VisuallyHidden>
            </th>
          )}
          {actionsOf !== null && (
            <th className="ph-actions">
              <VisuallyHidden>Actions</VisuallyHidden>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {groupedByEvent(rows).map(({ delivery, ofEvent }) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            ofEvent={ofEvent}
            ws={ref}
            webhook={withWebhook ? (names.get(delivery.webhookId) ?? shortId(delivery.webhookId)) : null}
            waitsFor={waitsFor(delivery.webhookId)}
            replay={resend}
            selected={selects ? selection.chosen.has(delivery.id) : null}
            onSelect={selection?.select ?? NOTHING}
            onReplay={onReplay}
            actionsOf={actionsOf}
          />
        ))}
      </tbody>
    </table>
  )
}

const NOTHING = () => undefined
