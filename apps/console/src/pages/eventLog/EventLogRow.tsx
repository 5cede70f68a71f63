import './eventLog.css'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { type Searchable, subjectsOf, subjectText } from '../../model/searchable.ts'
import { shortId } from '../../model/shortId.ts'
import { deliveriesText, type WorkspaceEvent } from '../../model/workspaceEvent.ts'
import { Time } from '../../shared/Time.tsx'
import { Untrusted } from '../../shared/untrusted/Untrusted.tsx'

/** An event in a list, with a link to its page. */
export const EventLogRow = memo(function EventLogRow(props: {
  readonly event: WorkspaceEvent
  /** Id or slug of the workspace, for paths. */
  readonly ws: string
  readonly searchable: Searchable
}) {
  const { event, ws, searchable } = props
  const { id, type, acceptedAt, deliveries } = event
  const about = subjectText(subjectsOf(event.json, searchable))
  return (
    <li data-bad={(deliveries?.failed ?? 0) > 0}>
      <Link to="/w/$ws/event-log/$id" params={{ ws, id }} className="ph-quiet-link">
        <Untrusted>{type}</Untrusted>
        <small>
          {about !== null && (
            <>
              <Untrusted>{about}</Untrusted>
              {' · '}
            </>
          )}
          <Untrusted mono>{shortId(id)}</Untrusted>
        </small>
      </Link>
      <span className="ph-event-deliveries">{deliveriesText(event)}</span>
      <Time at={acceptedAt} as="short" plain />
    </li>
  )
})
