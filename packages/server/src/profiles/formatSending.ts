import { Type } from 'typebox'
import { MOST_DELIVERIES, MOST_FAILURES } from '../core/earlyWarning.ts'
import { FORMS } from '../core/textForms.ts'
import { closed, count, duration, nullable, oneOf, partial, scopes, text } from './formatParts.ts'

// How requests are signed, and when they are sent.

export const signature = closed(
  {
    content: text(
      'What is signed: a template that ends with `{body}`, such as `{id}.{timestamp}.{body}`.',
      128,
    ),
    algorithm: oneOf(['hmac-sha256', 'hmac-sha512', 'ed25519'], 'How it is signed.'),
    encoding: oneOf(['hex', 'base64'], 'How a signature is written.'),
    secret: Type.Optional(
      oneOf(
        ['base64-after-prefix', 'hex', 'utf8'],
        'The bytes of the key: the decoded rest after the prefix, the decoded hex digits, or the UTF-8 bytes of the whole secret. Not for `ed25519`.',
      ),
    ),
    each: text('A template of one signature, with `{signature}` in it, such as `v1,{signature}`.', 64),
    join: Type.Optional(
      Type.String({
        description: 'Stands between two signatures. Without it, there is one only.',
        maxLength: 4,
      }),
    ),
    most: Type.Optional(
      count('Signatures in one request at most, one for each secret that is valid.', 1, 16),
    ),
  },
  'A signature that is made for each secret that is valid, the newest first.',
)

export const secret = partial(
  {
    prefix: Type.String({ description: 'Stands before it.', pattern: FORMS.secretPrefix.pattern }),
    encoding: oneOf(['base64', 'base64url', 'hex'], 'How the random bytes are written.'),
    bytes: count('Random bytes in it.', 24, 64),
  },
  'A secret as customers see it.',
)

const FINAL_STATES = ['delivered', 'failed', 'dead', 'canceled'] as const
const resend = closed(
  {
    from: Type.Array(oneOf(FINAL_STATES, 'A state.'), {
      description: 'The states that allow it.',
      minItems: 1,
      uniqueItems: true,
    }),
    attempts: oneOf(['one', 'schedule'], 'One attempt, or as many as a new delivery gets.'),
  },
  'How a finished delivery is sent again.',
)

const warn = closed(
  {
    failures: Type.Optional(
      nullable(
        count(
          'Consecutive failed attempts that trigger a warning; null: ignored. 5 if left out.',
          1,
          MOST_FAILURES,
        ),
      ),
    ),
    share: Type.Optional(
      nullable(
        Type.Number({
          description:
            "Share of the last hour's deliveries that failed and triggers a warning; null: ignored. 0.5 if left out.",
          exclusiveMinimum: 0,
          maximum: 1,
        }),
      ),
    ),
    deliveries: Type.Optional(
      count(
        'Minimum number of deliveries in the last hour for `share` to apply. 10 if left out.',
        1,
        MOST_DELIVERIES,
      ),
    ),
    after: Type.Optional(
      duration(
        'Earliest time of a warning after the first failure: `10m` or more. `10m` if left out.',
        '10m',
      ),
    ),
  },
  'When owners are warned that a webhook is failing; null: never.',
)

export const policy = partial(
  {
    timeout: duration("A receiver's time, from the start of the connect to the status line.", '15s'),
    waits: Type.Array(duration('A wait.', '5m'), {
      description: 'Before each retry. There is one more attempt than waits.',
      maxItems: 50,
    }),
    backoff: closed(
      {
        first: duration('The first wait.', '30s'),
        factor: Type.Number({
          description: 'By which each wait is longer than the one before.',
          minimum: 1,
          maximum: 10,
        }),
        longest: duration('No wait is longer.', '6h'),
        attempts: count('Attempts in all.', 1, 51),
      },
      'Waits that grow, instead of `waits`.',
    ),
    jitter: Type.Number({
      description: 'The share by which waits are stretched or shrunk at random.',
      minimum: 0,
      maximum: 0.5,
    }),
    retry_after: Type.Boolean({
      description: 'Whether a receiver can ask for a longer wait by `Retry-After`, up to 24 hours.',
    }),
    gone: oneOf(
      ['disable', 'end', 'retry'],
      'What a 410 does: disable the webhook, end the delivery, or count as any other failure.',
    ),
    pause: oneOf(
      ['skip', 'hold'],
      'What happens to events published while a webhook is paused. `skip`: events are not delivered (a recovery can send them if `operations.recover.missed` is `recoverable`). `hold`: they are sent after the pause.',
    ),
    exhausted: oneOf(['failed', 'dead'], 'The state of a delivery whose attempts are used up.'),
    disable_after: nullable(
      duration('Disable a webhook after it has failed for this long; null: never.', '24h'),
    ),
    warn: nullable(warn),
    secret_overlap: duration('How long a replaced secret goes on signing.', '24h'),
  },
  'When and how often it is sent.',
)

const members = { scopes: scopes('What a key needs for it; those of `access.change` if left out.') }
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
              'Events published while the webhook was paused or disabled. `skipped`: they are not delivered. `recoverable`: a recovery sends them too. `skipped` if left out.',
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
  'The operations that exist beside those that all services have; null: it does not exist.',
)
