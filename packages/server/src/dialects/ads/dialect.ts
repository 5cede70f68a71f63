import { decodeSecret, formatSecret, SCHEMES } from '@posthorn/receiver/schemes'
import type { Dialect } from '../../core/dialect.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration.ts'
import { uuidFormat } from '../../core/idFormat.ts'
import { QUOTAS } from '../../core/quotas.ts'
import { FORMATS } from '../../core/textForms.ts'
import { type DialectSettings, JITTER } from '../settings.ts'
import { signatureHeader } from '../signing.ts'
import { adsCatalog } from './catalog/index.ts'
import { adsExample } from './example.ts'

export const ADS_DEFAULTS: DialectSettings = {
  // 30 s times 3 to the n, the long ones rounded.
  waitsMs: [
    30 * SECOND_MS,
    90 * SECOND_MS,
    4.5 * MINUTE_MS,
    13.5 * MINUTE_MS,
    40.5 * MINUTE_MS,
    2 * HOUR_MS,
    6 * HOUR_MS,
  ],
  timeoutMs: 10 * SECOND_MS,
}

const scheme = SCHEMES.service

/** The advertising platform: hex HMAC over the body, camelCase, dead deliveries that can be replayed. */
export function adsDialect(settings: DialectSettings & { readonly maxWebhooks?: number }): Dialect {
  return {
    name: 'ads',
    catalog: adsCatalog,
    ids: {
      event: uuidFormat,
      delivery: uuidFormat,
      workspace: uuidFormat,
      member: uuidFormat,
      webhook: uuidFormat,
      key: uuidFormat,
      session: uuidFormat,
      replay: uuidFormat,
      broughtEventId(id) {
        const bytes = uuidFormat.parse(id)
        return bytes === null ? null : uuidFormat.format(bytes)
      },
      broughtEventIdForm: FORMATS.uuid!,
    },
    policy: {
      timeoutMs: settings.timeoutMs,
      waitsMs: settings.waitsMs,
      jitter: JITTER,
      exhaustedStatus: 'dead',
      resends: {
        redeliver: { from: [], attempts: 'one' },
        replay: { from: ['dead'], attempts: 'schedule' },
      },
      goneEndsDelivery: false,
      health: { goneSwitchesOff: false, switchOffAfterMs: null, warnAfterMs: null },
    },
    secrets: {
      format: (random) => formatSecret(scheme, random),
      keyBytes: (secret) => decodeSecret(scheme, secret),
      // The signature header holds one value, so a replaced secret cannot sign beside the new one.
      overlapMs: 0,
      maxSigning: scheme.signature.maxEntries,
    },
    requestHeaders: ({ deliveryId, eventType, timestampSeconds, body, keys }) => [
      scheme.headers.event,
      eventType,
      scheme.headers.delivery,
      deliveryId,
      scheme.headers.signature,
      signatureHeader(scheme, { id: deliveryId, timestampSeconds }, body, keys.slice(0, 1)),
    ],
    testEvent: null,
    exampleBody: adsExample,
    limits: {
      webhooksPerWorkspace: settings.maxWebhooks ?? QUOTAS.adsWebhooks.byDefault,
      webhooksVariable: QUOTAS.adsWebhooks.variable,
      manualSendsPerMinute: null,
    },
    scopes: ['webhooks', 'events:write'],
    // The presenters of this service hide nothing.
    contentsScope: null,
    signatureHeader: scheme.headers.signature,
  }
}
