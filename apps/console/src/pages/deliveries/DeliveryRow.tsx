import { Button, Checkbox } from '@mantine/core'
import { IconPlayerTrackPrev } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { memo, type ReactNode } from 'react'
import { attemptHelp } from '../../model/attemptHelp.ts'
import { attemptsMade, type Delivery, latestAttempt } from '../../model/delivery.ts'
import { countText } from '../../model/numbers.ts'
import { resendHelp, resendLabel } from '../../model/sendWords.ts'
import type { Resend } from '../../model/service.ts'
import { shortId } from '../../model/shortId.ts'
import { DeliveryBadge } from '../../shared/StatusBadge.tsx'
import { Countdown, Time } from '../../shared/Time.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'
import type { WaitsFor } from './useWaitsFor.ts'

/**
 * A delivery in a list. Dozens may arrive per second, so rows are memoized, and use plain elements, which render much
 * faster than the library's.
 */
export const DeliveryRow = memo(function DeliveryRow(props: {
  readonly delivery: Delivery
  /** Id or slug of the workspace, for paths. */
  readonly ws: string
  /** Name of its webhook; `null`: the list has only one. */
  readonly webhook: string | null
  readonly waitsFor: WaitsFor
  /** The operation for selected rows. */
  readonly replay: Resend | null
  /** `null`: rows cannot be selected. */
  readonly selected: boolean | null
  /** Number of rows of its event, on the first of them; 0 on the others. */
  readonly ofEvent: number
  readonly onSelect: (id: string, selected: boolean) => void
  /** Used if rows can be selected; `null`: not possible now. */
  readonly onReplay: ((delivery: Delivery) => void) | null
  /** Actions at the end of the row; `null`: none. */
  readonly actionsOf: ((delivery: Delivery) => ReactNode) | null
}) {
  const { actionsOf } = props
  const { delivery, ws, webhook, waitsFor, replay, selected, ofEvent, onSelect, onReplay } = props
  const { id, status, eventType, eventId, createdAt } = delivery
  const toIt = {
    to: '/w/$ws/webhooks/$id/deliveries/$did',
    params: { ws, id: delivery.webhookId, did: id },
  } as const
  const made = attemptsMade(delivery)
  const name = `${eventType} ${shortId(eventId)}`
  const replayable = replay?.from.includes(status) === true
  return (
    <tr className="ph-row" data-same-event={ofEvent === 0}>
      {selected !== null && (
        <td className="ph-narrow ph-above">
          {replayable && (
            <Checkbox
              size="xs"
              aria-label={`Select the delivery of ${name}`}
              checked={selected}
              onChange={(event) => onSelect(id, event.currentTarget.checked)}
            />
          )}
        </td>
      )}
      <td className="ph-state">
        <DeliveryBadge status={status} plain />
      </td>
      <td className="ph-event">
        <Link {...toIt} className="ph-cover ph-quiet-link">
          <Untrusted isName>{eventType}</Untrusted>
        </Link>
        <small>
          <Link to="/w/$ws/event-log/$id" params={{ ws, id: eventId }} className="ph-quiet-link ph-above">
            <Untrusted mono>{shortId(eventId)}</Untrusted>
          </Link>
          {ofEvent > 1 && <span className="ph-of-event">{ofEvent} deliveries of this event</span>}
          {ofEvent === 0 && <span className="ph-of-event">same event</span>}
        </small>
      </td>
      {webhook !== null && (
        <td className="ph-webhook">
          <span>
            <Untrusted>{webhook}</Untrusted>
          </span>
        </td>
      )}
      <td className="ph-outcome">
        <Outcome delivery={delivery} waitsFor={waitsFor} />
      </td>
      <td className="ph-count ph-numbers">
        {countText(made)}
        <span className="ph-unit">{made === 1 ? ' attempt' : ' attempts'}</span>
      </td>
      <td className="ph-when">
        <Link {...toIt} tabIndex={-1} className="ph-quiet-link ph-above">
          <Time at={createdAt} as="short" plain />
        </Link>
      </td>
      {selected !== null && (
        <td className="ph-narrow ph-above">
          {replayable && (
            <Button
              className="ph-replay"
              size="compact-sm"
              variant="default"
              title={resendHelp(replay)}
              aria-label={`${resendLabel(replay)} of ${name}`}
              disabled={onReplay === null}
              onClick={() => onReplay?.(delivery)}
            >
              <IconPlayerTrackPrev size={15} aria-hidden />
              <span className="ph-label">{resendLabel(replay)}</span>
            </Button>
          )}
        </td>
      )}
      {actionsOf !== null && <td className="ph-actions ph-above">{actionsOf(delivery)}</td>}
    </tr>
  )
})

/** Result of the latest attempt, and time of the next one. */
function Outcome({ delivery, waitsFor }: { readonly delivery: Delivery; readonly waitsFor: WaitsFor }) {
  const latest = latestAttempt(delivery)
  const { nextAttemptAt: next, waitingFor } = delivery
  const paused = waitsFor === 'resume'
  return (
    <>
      {latest === null && <span>{next === null ? 'Not attempted' : 'No attempt yet'}</span>}
      {latest !== null && (
        <span className="ph-numbers" data-bad={latest.error !== null}>
          {attemptHelp(latest).short}
        </span>
      )}
      {next !== null && paused && <small>waits while paused</small>}
      {waitingFor === 'sender' && !paused && <small>waits because of a problem on our side</small>}
      {next !== null && waitingFor === null && !paused && (
        <small>
          <Countdown
            to={next}
            over={waitsFor === 'limit' ? 'due; may wait for the limit' : 'due'}
            before={latest === null ? 'first attempt in ' : 'next retry in '}
            plain
          />
        </small>
      )}
    </>
  )
}
