import type { Consumer } from '../rows.ts'
import type { EventPosition } from './log.ts'
import type { Page } from './page.ts'

/** Where a consumer begins to read: behind a place in the feed, or behind all that the feed shows now. */
export type ConsumerStart = EventPosition | 'now'

type ConsumerCreation =
  | { readonly outcome: 'created'; readonly consumer: Consumer }
  /** The workspace has one of this name. */
  | { readonly outcome: 'exists' }
  | { readonly outcome: 'limit_reached' }
  | { readonly outcome: 'workspace_not_found' }

type Acknowledgement =
  /** `moved`: false where the consumer was there already. */
  | { readonly outcome: 'acknowledged'; readonly consumer: Consumer; readonly moved: boolean }
  /** A seek came after what was acknowledged was read. Nothing was changed. */
  | { readonly outcome: 'outdated' }
  | { readonly outcome: 'not_found' }

/** What a consumer has yet to acknowledge. */
export interface ConsumerLag {
  /** Events of its types. */
  readonly events: number
  /** Whether more may follow than were looked at. */
  readonly more: boolean
  /** When the first of them was accepted, Unix ms; `null`: there are none. */
  readonly oldestAt: number | null
}

export type LagQuestion = Pick<Consumer, 'workspaceId' | 'eventTypes' | 'position'>

export interface ConsumerVerbs {
  getConsumer(params: { workspaceId: number; name: string }): Promise<Consumer | null>
  /** Consumers of a workspace, newest first. */
  listConsumers(params: { workspaceId: number } & Page): Promise<readonly Consumer[]>
  /** Consumers of all workspaces by id. @param params.after the last id of the call before; 0 at first */
  walkConsumers(params: { after: number; limit: number }): Promise<readonly Consumer[]>
  /** @param params.most events of each that are looked at. @returns one for each, in the same order */
  consumerLags(params: { consumers: readonly LagQuestion[]; most: number }): Promise<readonly ConsumerLag[]>
  /**
   * What a feed has behind a place, in short. Looks at a bounded number of events.
   * @returns `next`: the last place that it looked at; `types`: those of the events up to there
   */
  lookAhead(params: { workspaceId: number; after: EventPosition }): Promise<{
    readonly types: readonly string[]
    readonly next: EventPosition
    readonly more: boolean
  }>
  /**
   * The place in the feed before the first event that was accepted at `time` or later, behind `after`. Looks at a bounded number of
   * events.
   * @returns `done`: false where there is more to look at, behind `place`
   */
  placeBefore(params: {
    workspaceId: number
    after: EventPosition
    time: number
  }): Promise<{ readonly place: EventPosition; readonly done: boolean }>
  /** Moves a consumer past events that it does not want, unless it moved meanwhile. */
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
  /** Moves it anywhere; acknowledgements of what was read before no longer count. @returns `null`: there is none */
  seekConsumer(params: {
    workspaceId: number
    name: string
    start: ConsumerStart
    now: number
  }): Promise<Consumer | null>
  /** @returns false: there was none */
  deleteConsumer(params: { workspaceId: number; name: string }): Promise<boolean>
}

/** Readers acknowledge all the time, so the audit log has nothing of it. */
export interface AcknowledgementChanges {
  /**
   * Moves a consumer forward, never back.
   * @param params.generation that it had when the events were read
   * @param params.lost of the consumer, when the events were read
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
