import { type Static, Type } from 'typebox'
import { WebhookCountsSchema } from '../../shared/currentState.ts'
import { closed, nullable, oneOf, time } from '../../shared/schemas.ts'
import { STORE_KINDS } from '../../shared/storeFacts.ts'
import { WarningSchema } from '../listWarnings.ts'
import { RankedWorkspaceSchema } from '../ranking.ts'

const StatusNodeSchema = closed(
  {
    id: Type.Integer({ description: 'Changes when the lease of the node has expired.' }),
    version: nullable(
      Type.String({
        description: 'The release that it runs; null: an earlier one, which does not report it.',
      }),
    ),
    answering: Type.Boolean({ description: 'Whether this node answers the request.' }),
    alive: Type.Boolean({ description: 'Whether its lease is valid.' }),
    started_at: nullable(time('When it registered.')),
    lease_expires_at: time('When other nodes take over its deliveries, unless it renews its lease before.'),
  },
  { title: 'StatusNode' },
)

const RatesSchema = closed(
  {
    events: Type.Number({ description: 'Events published per second.' }),
    attempts: Type.Number({ description: 'Attempts per second.' }),
    failed_attempts: Type.Number({ description: 'Failed attempts per second.' }),
    delivered: Type.Number({ description: 'Delivered deliveries per second.' }),
  },
  { title: 'Rates', description: 'Rates of the whole store, averaged over the last five full minutes.' },
)

const StatusQueueSchema = closed(
  {
    pending: Type.Integer({
      description:
        'Pending deliveries. Counting stops at 1,000,000 or after half a second, so the true number may be higher.',
    }),
    due: Type.Integer({ description: 'Pending deliveries that could be attempted now.' }),
    oldest_due_at: nullable(time('When the oldest of these became due. Null: none is due.')),
    oldest_pending_at: nullable(
      time('When the event of the oldest pending delivery was accepted; null: none is pending.'),
    ),
    oldest_pending_reason: nullable(Type.String({ description: 'Why it waits, as in `getOverview`.' })),
  },
  { title: 'StatusQueue' },
)

const FailingWorkspaceSchema = closed(
  {
    workspace: RankedWorkspaceSchema,
    attempts: Type.Integer({ description: 'Attempts in the last hour.' }),
    failed: Type.Integer({ description: 'Failed attempts in the last hour.' }),
  },
  { title: 'FailingWorkspace' },
)

const OutboxSchema = closed(
  {
    outbox: Type.String({ description: 'Where it is, without a password.' }),
    readable: nullable(Type.Boolean({ description: 'Whether it can be read; null: not checked yet.' })),
    publishing: Type.Boolean({ description: 'Whether Posthorn accepts its events.' }),
    blocked_workspaces: Type.Integer({ description: 'Workspaces that cannot publish from it.' }),
    pending_events: Type.Integer({ description: 'Events to publish; at most 20,000 are counted.' }),
    oldest_pending_seconds: Type.Number({ description: 'Age of the oldest event to publish.' }),
    failed_events: Type.Integer({
      description: 'Events that Posthorn rejected; at most 20,000 are counted.',
    }),
    stored_bytes: Type.Integer({ description: "Its size in the producer's database." }),
  },
  { title: 'Outbox' },
)

export const StatusSchema = closed(
  {
    at: time('When this state was read.'),
    version: Type.String({ description: 'The release of the node that answers.' }),
    node_id: Type.Integer({ description: 'The node that answers.' }),
    accepts_events: Type.Boolean({
      description: 'Whether this node accepts events, as `/readyz` reports.',
    }),
    holds_lease: Type.Boolean({ description: 'Whether this node has a lease, so it can send deliveries.' }),
    egress_closed_since: nullable(time('Since when this node cannot reach any receiver. Null: it can.')),
    all_egress_closed_since: nullable(
      time('Since when no node can reach any receiver. Null: at least one can.'),
    ),
    in_flight: Type.Integer({ description: 'Attempts in flight on this node.' }),
    in_memory: Type.Integer({ description: 'Deliveries that wait in its memory.' }),
    store: closed(
      {
        kind: oneOf(STORE_KINDS, 'The embedded store, or PostgreSQL.'),
        schema_version: Type.Integer({ description: 'The schema that this release works with.' }),
        bytes: nullable(Type.Integer({ description: 'Size of the database; null: it could not be read.' })),
      },
      { title: 'StoreFacts' },
    ),
    disk: nullable(
      closed(
        {
          free_bytes: Type.Integer({ description: 'Free space.' }),
          size_bytes: Type.Integer({ description: 'Size of the disk.' }),
        },
        {
          title: 'Disk',
          description:
            'The disk of the data directory, which holds the embedded store; null: it could not be read.',
        },
      ),
    ),
    clock: closed(
      {
        steady: Type.Boolean({ description: 'Whether the clock is trusted; if not, nothing is deleted.' }),
        ahead_of_machine_seconds: Type.Number({
          description: "How far the clock of the database is ahead of this machine's.",
        }),
      },
      { title: 'ClockState' },
    ),
    nodes: nullable(
      Type.Array(StatusNodeSchema, { description: 'All nodes; null: they could not be read.' }),
    ),
    rates: nullable(RatesSchema),
    queue: nullable(StatusQueueSchema),
    webhooks: nullable(WebhookCountsSchema),
    failing_workspaces: nullable(
      Type.Array(FailingWorkspaceSchema, {
        description:
          'Workspaces with the most failed attempts in the last hour, at most five; null: they could not be read.',
      }),
    ),
    outbox: nullable(OutboxSchema),
    warnings: Type.Array(WarningSchema, { description: 'What `listWarnings` lists.' }),
    to_do: Type.Array(
      closed({
        code: Type.String({
          description:
            'Stable, for programs. The name of the alert with the same meaning, if there is one; otherwise `NotRead` or the code of a warning.',
        }),
        text: Type.String({ description: 'For people: what is wrong and what to do.' }),
      }),
      { description: 'What an operator has to do, most urgent first; empty when all is well.' },
    ),
  },
  { title: 'Status' },
)

export type StatusJson = Static<typeof StatusSchema>
