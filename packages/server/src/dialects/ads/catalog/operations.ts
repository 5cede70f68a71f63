import { Type } from 'typebox'
import { FORMS } from '../../../core/textForms.ts'
import { closed, code, date, dateTime, reason, url } from '../../payloadSchemas.ts'
import { count, eventType, name, uuid } from './shared.ts'
import { ids, names } from './world.ts'

const syncMembers = {
  connectionId: uuid('The connection that was synchronized.'),
  provider: code('The system at its other end. New values can appear.', 'storefront', 'crm', 'ad_exchange'),
  startedAt: dateTime('When the run began.'),
  finishedAt: dateTime('When the run ended.'),
  recordCount: count('How many records were taken over.'),
}

const sync = {
  connectionId: ids.connection,
  provider: 'storefront',
  startedAt: '2026-09-22T04:00:00.120Z',
  finishedAt: '2026-09-22T04:03:41.874Z',
  recordCount: 3_182,
}

export const operationEvents = [
  eventType({
    type: 'workspace.created.v1',
    entityType: 'workspace',
    title: 'Workspace created',
    description: 'A workspace was opened. Use it to prepare whatever your side keeps for each workspace.',
    group: 'Workspaces',
    schema: closed('The new workspace.', {
      name: name('Its name.'),
      currency: Type.String({
        description: 'The currency it plans and bills in, as an ISO 4217 code.',
        pattern: FORMS.currency.pattern,
        maxLength: 3,
        examples: ['EUR'],
      }),
      timeZone: Type.String({
        description: 'Its time zone, as an IANA name. Dates in other events are dates in this zone.',
        pattern: FORMS.timeZone.pattern,
        maxLength: 64,
        examples: ['Europe/Lisbon'],
      }),
    }),
    example: { name: 'Tern & Tide', currency: 'EUR', timeZone: 'Europe/Lisbon' },
  }),
  eventType({
    type: 'sync.succeeded.v1',
    entityType: 'sync',
    title: 'Sync succeeded',
    description:
      'A run that exchanges data with a connected system ended well. The entity is the run, not the connection.',
    group: 'Syncs',
    schema: closed('A run that succeeded.', syncMembers),
    example: sync,
  }),
  eventType({
    type: 'sync.failed.v1',
    entityType: 'sync',
    title: 'Sync failed',
    description:
      'A run that exchanges data with a connected system failed. The reason says what to mend. The entity is the run, not the connection.',
    group: 'Syncs',
    schema: closed('A run that failed.', {
      ...syncMembers,
      reason: reason('Why it failed.', 'not_authorized', 'provider_unreachable', 'rate_limited'),
      willRetry: Type.Boolean({ description: 'True when the platform runs it again by itself.' }),
    }),
    example: {
      ...sync,
      recordCount: 0,
      reason: {
        code: 'not_authorized',
        message: 'The storefront refused the stored login. Connect it again.',
      },
      willRetry: false,
    },
  }),
  eventType({
    type: 'report.ready.v1',
    entityType: 'report',
    title: 'Report ready',
    description: 'A report was computed and can be downloaded. The link is of no use without an API key.',
    group: 'Reports',
    schema: closed('A report to download.', {
      name: name('Its name in the account.'),
      format: code('The format of the file. New values can appear.', 'csv', 'xlsx'),
      periodStart: date('First day it covers.'),
      periodEnd: date('Last day it covers.'),
      rowCount: count('How many rows it has.'),
      downloadUrl: url('Where to read it with an API key.'),
      expiresAt: dateTime('Until when it is kept.'),
    }),
    example: {
      name: `${names.campaign}, week 38`,
      format: 'csv',
      periodStart: '2026-09-14',
      periodEnd: '2026-09-20',
      rowCount: 1_344,
      downloadUrl: 'https://api.adplatform.example/v1/reports/01a0c21e-e6fa-7d15-9b02-e8417a5cf690/file',
      expiresAt: '2026-10-21T06:00:00.000Z',
    },
  }),
]
