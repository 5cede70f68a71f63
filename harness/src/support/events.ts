import { randomUUID } from 'node:crypto'
import type { DialectName, NewEvent } from './workspaces.ts'

/** Events of one service, as simple as its catalog allows. */
export interface EventKind {
  readonly common: string
  /** For slow hooks. */
  readonly rare: string
  /** @param subject from {@link newSubject} */
  readonly make: (type: string, subject?: string) => Omit<NewEvent, 'id'>
  /** A subject that is unique to an event, so that the event can be identified without its id. */
  readonly newSubject: () => string
  /** Reads the subject from the body that receivers get. */
  readonly subjectIn: (body: string) => string
  /** An id that the service accepts. */
  readonly newId: () => string
}

interface ContentBody {
  readonly data: { readonly subject_id?: string; readonly generation?: { readonly id: string } }
}

const CONTENT_EVENTS: EventKind = {
  common: 'schedule.cancel_required',
  rare: 'generation.ready_for_review',
  newSubject: () => randomUUID(),
  newId: () => `evt_${randomUUID()}`,
  make: (type, subject = randomUUID()) => ({
    type,
    content:
      type === 'schedule.cancel_required'
        ? { subject_id: `sch_${subject}` }
        : {
            generation: {
              id: `gen_${subject}`,
              kind: 'article',
              title: 'Überschrift',
              content_id: 'cnt_01kgenv8',
            },
            version_id: 'ver_01kgeq4b',
            version_number: 1,
          },
  }),
  subjectIn(body) {
    const { data } = JSON.parse(body) as ContentBody
    return (data.subject_id ?? data.generation?.id ?? '').slice('sch_'.length)
  },
}

const ADS_EVENTS: EventKind = {
  common: 'campaign.status_changed.v1',
  rare: 'segment.created.v1',
  newSubject: () => randomUUID(),
  newId: () => randomUUID(),
  make: (type, subject = randomUUID()) => ({
    type,
    entity: { type: type.split('.')[0]!, id: subject },
    content:
      type === 'campaign.status_changed.v1'
        ? { from: 'paused', to: 'active' }
        : { name: 'Rain, “coastal”', kind: 'rule' },
  }),
  subjectIn: (body) => (JSON.parse(body) as { readonly entityId: string }).entityId,
}

export const EVENTS: Readonly<Record<DialectName, EventKind>> = { content: CONTENT_EVENTS, ads: ADS_EVENTS }
