import type { Consumer } from '../rows.ts'
import type { EventPosition } from './log.ts'
import type { Page } from './page.ts'

/** Where a consumer starts to read: after a position in the feed, or after everything that the feed shows now. */
export type ConsumerStart = EventPosition | 'now'

type ConsumerCreation =
  | { readonly outcome: 'created'; readonly consumer: Consumer }
  /** The workspace has a consumer of this name. */
  | { readonly outcome: 'exists' }
  | { readonly outcome: 'limit_reached' }
  | { readonly outcome: 'workspace_not_found' }

type Acknowledgement =
  /** `moved`: false if the consumer was there already. */
  | { readonly outcome: 'acknowledged'; readonly consumer: Consumer; readonly moved: boolean }
  /** There was a seek after the acknowledged events were read. Nothing was changed. */
  | { readonly outcome: 'outdated' }
  | { readonly outcome: 'not_found' }

/** The backlog of a consumer. */
export interface ConsumerLag {
  /** Events of its types. */
  readonly events: number
  /** Whether there may be more than were counted. */
  readonly more: boolean
  /** When the first of them was accepted, Unix ms; `null`: there are none. */
  readonly oldestAt: number | null
}

export type LagQuestion = Pick<Consumer, 'workspaceId' | 'eventTypes' | 'position'>

export interface ConsumerCalls {
  getConsumer(params: { workspaceId: number; name: string }): Promise<Consumer | null>
  /** Consumers of a workspace, newest first. */
  listConsumers(params: { workspaceId: number } & Page): Promise<readonly Consumer[]>
  /** Consumers of all workspaces by id. @param params.after the last id of the call before; 0 at first */
  walkConsumers(params: { after: number; limit: number }): Promise<readonly Consumer[]>
  /** @param params.most limit of counted events per consumer. @returns one backlog for each, in the same order */
  consumerLags(params: { consumers: readonly LagQuestion[]; most: number }): Promise<readonly ConsumerLag[]>
  /**
   * The feed after a position, summarized. Looks at a bounded number of events.
   * @returns `next`: the last position that it looked at; `types`: the types of the events up to there
   */
  lookAhead(params: { workspaceId: number; after: EventPosition }): Promise<{
    readonly types: readonly string[]
    readonly next: EventPosition
    readonly more: boolean
  }>
  /**
   * The position in the feed before the first event after `after` that was accepted at `time` or later. Looks at a bounded
   * number of events.
   * @returns `done`: false if there is more to look at, after `place`
   */
  placeBefore(params: {
    workspaceId: number
    after: EventPosition
    time: number
  }): Promise<{ readonly place: EventPosition; readonly done: boolean }>
  /** Moves a consumer past events that do not match, unless it was moved in the meantime. */
  skipUnwanted(
    params: Pick<Consumer, 'workspaceId' | 'id' | 'generation'> & { from: EventPosition; to: EventPosition },
  ): Promise<void>
}

export interface ConsumerChanges {
  createConsumer(params: {
    workspaceId: number
    name: string
    /** `null`: all. */
    eventTypes: readonly string[] | null
    start: ConsumerStart
    max: number
    now: number
  }): Promise<ConsumerCreation>
  /**
   * Moves it anywhere; acknowledgements of events that were read before no longer count. @returns `null`: there is no such
   * consumer
   */
  seekConsumer(params: {
    workspaceId: number
    name: string
    start: ConsumerStart
    now: number
  }): Promise<Consumer | null>
  /** @returns false: there is no such consumer */
  deleteConsumer(params: { workspaceId: number; name: string }): Promise<boolean>
}

/** Not in the audit log, since readers acknowledge all the time. */
export interface AcknowledgementChanges {
  /**
   * Moves a consumer forward, never back.
   * @param params.generation the consumer's generation when the events were read
   * @param params.lost the consumer's lost events when the events were read
   */
  acknowledge(params: {
    workspaceId: number
    consumerId: number
    generation: number
    position: EventPosition
    lost: number
    now: number
  }): Promise<Acknowledgement>
}
