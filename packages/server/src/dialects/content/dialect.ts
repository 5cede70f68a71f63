import { decodeSecret, formatSecret, SCHEMES } from '@posthorn/receiver/schemes'
import type { Dialect } from '../../core/dialect.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import { prefixedFormat } from '../../core/idFormat.ts'
import { allowedBy, prefixedIdPattern } from '../../core/textForms.ts'
import { type DialectSettings, JITTER } from '../settings.ts'
import { signatureHeader } from '../signing.ts'
import { contentCatalog } from './catalog/index.ts'
import { contentEnvelope } from './envelope.ts'
import { contentExample } from './example.ts'

export interface ContentSettings extends DialectSettings {
  /** A webhook that fails for this long is switched off; halfway there, a warning goes out. */
  readonly switchOffAfterMs: number
  /** How long a replaced secret goes on signing. */
  readonly secretOverlapMs: number
}

export const CONTENT_DEFAULTS: ContentSettings = {
  waitsMs: [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 8 * HOUR_MS, 9 * HOUR_MS],
  timeoutMs: 15 * SECOND_MS,
  switchOffAfterMs: 24 * HOUR_MS,
  secretOverlapMs: 24 * HOUR_MS,
}

const BROUGHT_EVENT_ID = new RegExp(prefixedIdPattern('evt_'))
const TEST_EVENT_TYPE = 'webhook.test'
const scheme = SCHEMES.standard

/** The content workflow service: Standard Webhooks, snake_case, switches off what fails for a day. */
export function contentDialect(settings: ContentSettings): Dialect {
  return {
    name: 'content',
    catalog: contentCatalog,
    ids: {
      event: prefixedFormat('evt_'),
      delivery: prefixedFormat('dlv_'),
      workspace: prefixedFormat('ws_'),
      member: prefixedFormat('usr_'),
      webhook: prefixedFormat('wh_'),
      key: prefixedFormat('key_'),
      session: prefixedFormat('ses_'),
      replay: prefixedFormat('rpl_'),
      broughtEventId: (id) => (BROUGHT_EVENT_ID.test(id) ? id : null),
      broughtEventIdForm: allowedBy(BROUGHT_EVENT_ID.source)!,
    },
    policy: {
      timeoutMs: settings.timeoutMs,
      waitsMs: settings.waitsMs,
      jitter: JITTER,
      exhaustedStatus: 'failed',
      resends: {
        redeliver: { from: ['delivered', 'failed', 'canceled'], attempts: 'one' },
        replay: { from: [], attempts: 'schedule' },
      },
      goneEndsDelivery: true,
      health: {
        goneSwitchesOff: true,
        switchOffAfterMs: settings.switchOffAfterMs,
        warnAfterMs: settings.switchOffAfterMs / 2,
      },
    },
    secrets: {
      format: (random) => formatSecret(scheme, random),
      keyBytes: (secret) => decodeSecret(scheme, secret),
      overlapMs: settings.secretOverlapMs,
      maxSigning: scheme.signature.maxEntries,
    },
    requestHeaders: ({ eventId, timestampSeconds, body, keys }) => [
      scheme.headers.id,
      eventId,
      scheme.headers.timestamp,
      String(timestampSeconds),
      scheme.headers.signature,
      signatureHeader(scheme, { id: eventId, timestampSeconds }, body, keys),
    ],
    testEvent: {
      type: TEST_EVENT_TYPE,
      compose: ({ webhookId, workspace, actorId, occurredAt }) =>
        contentEnvelope(
          {
            type: TEST_EVENT_TYPE,
            data: { webhook: { id: webhookId }, message: 'A test event: this webhook can receive.' },
            actorId,
            links: null,
            occurredAt,
          },
          workspace,
        ),
    },
    exampleBody: contentExample,
    limits: { webhooksPerWorkspace: 20, webhooksVariable: null, manualSendsPerMinute: 10 },
    scopes: ['webhooks', 'generations:read', 'events:write'],
    contentsScope: 'generations:read',
    signatureHeader: scheme.headers.signature,
  }
}
