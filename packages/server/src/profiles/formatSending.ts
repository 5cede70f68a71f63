import { Type } from 'typebox'
import { MOST_DELIVERIES, MOST_FAILURES } from '../core/earlyWarning.ts'
import { FORMS } from '../core/textForms.ts'
import { closed, count, duration, nullable, oneOf, partial, scopes, text } from './formatParts.ts'

// How requests are signed, and when they are sent.

export const signature = closed(
  {
    content: text(
      'The signed content: a template that ends with `{body}`, such as `{id}.{timestamp}.{body}`.',
      128,
    ),
    algorithm: oneOf(['hmac-sha256', 'hmac-sha512', 'ed25519'], 'The signature algorithm.'),
    encoding: oneOf(['hex', 'base64'], 'Encoding of the signature.'),
    secret: Type.Optional(
      oneOf(
        ['base64-after-prefix', 'hex', 'utf8'],
        'How the key is derived from the secret: the rest after the prefix decoded from base64, decoded from hex, or the UTF-8 bytes of the whole secret. Not for `ed25519`.',
      ),
    ),
    each: text('A template of one signature that contains `{signature}`, such as `v1,{signature}`.', 64),
    join: Type.Optional(
      Type.String({
        description: 'Separator of signatures. Default: none, and a request has only one signature.',
        maxLength: 4,
      }),
    ),
    most: Type.Optional(
      count('Maximum number of signatures in one request. There is one for each valid secret.', 1, 16),
    ),
  },
  'A signature. Each request has one for each valid secret, newest first.',
)

export const secret = partial(
  {
    prefix: Type.String({ description: 'Prefix of the secret.', pattern: FORMS.secretPrefix.pattern }),
    encoding: oneOf(['base64', 'base64url', 'hex'], 'Encoding of the random bytes.'),
    bytes: count('Number of random bytes.', 24, 64),
  },
  'The form of signing secrets.',
)

const FINAL_STATES = ['delivered', 'failed', 'dead', 'canceled'] as const
const resend = closed(
  {
    from: Type.Array(oneOf(FINAL_STATES, 'A state.'), {
      description: 'The states of a delivery in which it is allowed.',
      minItems: 1,
      uniqueItems: true,
    }),
    attempts: oneOf(['one', 'schedule'], 'One attempt, or as many as a new delivery gets.'),
  },
  'How finished deliveries are sent again.',
)

const warn = closed(
  {
    failures: Type.Optional(
      nullable(
        count(
          'Consecutive failed attempts that trigger a warning. Null: ignored. Default: 5.',
          1,
          MOST_FAILURES,
        ),
      ),
    ),
    share: Type.Optional(
      nullable(
        Type.Number({
          description:
            'Share of failed deliveries in the last hour that triggers a warning. Null: ignored. Default: 0.5.',
          exclusiveMinimum: 0,
          maximum: 1,
        }),
      ),
    ),
    deliveries: Type.Optional(
      count(
        'Minimum number of deliveries in the last hour for `share` to apply. Default: 10.',
        1,
        MOST_DELIVERIES,
      ),
    ),
    after: Type.Optional(
      duration('Earliest time of a warning after the first failure: `10m` or more. Default: `10m`.', '10m'),
    ),
  },
  'When owners are warned that a webhook is failing; null: never.',
)

export const policy = partial(
  {
    timeout: duration('Timeout of an attempt, from the start of the connect to the status line.', '15s'),
    waits: Type.Array(duration('A wait.', '5m'), {
      description: 'The waits before the retries. There is one more attempt than waits.',
      maxItems: 50,
    }),
    backoff: closed(
      {
        first: duration('The first wait.', '30s'),
        factor: Type.Number({
          description: 'Factor by which each wait is longer than the previous one.',
          minimum: 1,
          maximum: 10,
        }),
        longest: duration('The longest wait.', '6h'),
        attempts: count('Number of attempts in total.', 1, 51),
      },
      'Exponential backoff, as an alternative to `waits`.',
    ),
    jitter: Type.Number({
      description: 'Maximum share by which each wait is randomly extended or shortened.',
      minimum: 0,
      maximum: 0.5,
    }),
    retry_after: Type.Boolean({
      description: 'Whether receivers can request a longer wait with `Retry-After`, up to 24 hours.',
    }),
    gone: oneOf(
      ['disable', 'end', 'retry'],
      'What happens after a 410: the webhook is disabled, the delivery ends, or it counts as any other failure.',
    ),
    pause: oneOf(
      ['skip', 'hold'],
      'What happens to events published while a webhook is paused. `skip`: events are not delivered (a recovery can send them if `operations.recover.missed` is `recoverable`). `hold`: they are sent after the pause.',
    ),
    exhausted: oneOf(['failed', 'dead'], 'The state of a delivery after its last attempt failed.'),
    disable_after: nullable(
      duration('Disable a webhook after it has failed for this long; null: never.', '24h'),
    ),
    warn: nullable(warn),
    secret_overlap: duration('How long a replaced secret still signs.', '24h'),
  },
  'When and how often deliveries are attempted.',
)

const members = { scopes: scopes('Scopes that a key needs. Default: those of `access.change`.') }
const operation = (description: string) => nullable(partial(members, description))
const sendingAgain = nullable(
  Type.Object(
    { scopes: Type.Optional(members.scopes), ...resend.properties },
    { additionalProperties: false, description: 'Send one finished delivery again.' },
  ),
)
export const operations = partial(
  {
    test: operation('Send a test event to one webhook.'),
    pause: operation('Pause a webhook, and resume it.'),
    redeliver: sendingAgain,
    replay: sendingAgain,
    bulk: operation('Replay many dead deliveries; needs `replay`.'),
    retry: operation('Retry pending deliveries now.'),
    recover: nullable(
      Type.Object(
        {
          scopes: Type.Optional(members.scopes),
          attempts: Type.Optional(resend.properties.attempts),
          missed: Type.Optional(
            oneOf(
              ['skipped', 'recoverable'],
              'Events published while the webhook was paused or disabled. `skipped`: they are not delivered. `recoverable`: a recovery sends them too. Default: `skipped`.',
            ),
          ),
        },
        {
          additionalProperties: false,
          description: 'Send failed and canceled deliveries of one webhook again.',
        },
      ),
    ),
  },
  'The optional operations of the service. Null: the operation does not exist.',
)
