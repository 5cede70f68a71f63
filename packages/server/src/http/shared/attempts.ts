import { isUtf8 } from 'node:buffer'
import { type TSchema, Type } from 'typebox'
import { CAUSES, type Cause } from '../../core/cause.ts'
import { ATTEMPT_ERROR_CODES, RESPONSE_BODY_LIMIT_BYTES } from '../../core/delivery.ts'
import type { SentRequestRecord } from '../../engine/engine.ts'
import type { Attempt } from '../../storage/rows.ts'
import { closed, nullable, oneOf } from './schemas.ts'

/** What {@link errorOf} returns. */
export const attemptError = nullable(
  closed(
    {
      code: oneOf(ATTEMPT_ERROR_CODES, 'Why it failed, for programs.'),
      message: Type.String({ description: 'Why it failed and what to do about it.' }),
    },
    { description: 'The error. Null: the attempt succeeded.' },
  ),
)

/** The cause of a failed attempt. Faults of ours are not among the attempts, since these are repeated and do not count. */
export const attemptCause = Type.Unsafe<Cause | null>({
  type: ['string', 'null'],
  enum: [...CAUSES, null],
  description:
    'The cause of a failure: `receiver`, `path` (the network in between) or `sender`. Null: it succeeded, or an earlier release did not record it.',
})

/** A receiver's response body in JSON. */
export interface ShownBody {
  readonly body: string
  readonly encoding: 'utf-8' | 'base64'
}

/**
 * Text as text, anything else in base64, so that no byte is lost or replaced. A body that was cut at the limit may end within a
 * character; that rest of up to three bytes is dropped, since otherwise long non-ASCII text would become base64.
 */
export function showBody(bytes: Uint8Array | null): ShownBody {
  if (bytes === null) return { body: '', encoding: 'utf-8' }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const whole = buffer.length >= RESPONSE_BODY_LIMIT_BYTES ? withoutCutCharacter(buffer) : buffer
  return isUtf8(whole)
    ? { body: whole.toString('utf8'), encoding: 'utf-8' }
    : { body: buffer.toString('base64'), encoding: 'base64' }
}

function withoutCutCharacter(buffer: Buffer): Buffer {
  for (let cut = 1; cut <= 3; cut++) {
    const byte = buffer[buffer.length - cut]
    if (byte === undefined || byte < 0x80) return buffer
    const isLead = byte >= 0xc2 && byte <= 0xf4
    const isContinuation = byte < 0xc0
    if (!isLead && !isContinuation) return buffer
    if (isLead) return buffer.subarray(0, buffer.length - cut + (sequenceLength(byte) === cut ? cut : 0))
  }
  return buffer
}

function sequenceLength(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
}

/** A response is shown when one came, even an empty one. */
export const hasResponse = (attempt: Attempt) => attempt.statusCode !== null

/** Why an attempt failed, or `null`. */
export function errorOf({ errorCode, errorMessage }: Attempt) {
  return errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' }
}

/** What {@link requestOf} returns, as callers see it. */
export const sentRequest = <U extends TSchema, H extends TSchema>(url: U, header: H, headersNote = '') =>
  nullable(
    closed(
      {
        method: Type.Literal('POST'),
        url,
        headers: Type.Record(Type.String(), header, {
          description: `Headers, except those of the connection itself.${headersNote}`,
        }),
      },
      {
        description:
          'The request as it was sent, with its signature. If no connection could be opened: the request that would have been sent. Null: an earlier release did not record it.',
      },
    ),
  )

export const sentBodyDescription = 'The exact body of these requests. Null: nothing was sent yet.'

export function requestOf(requests: readonly SentRequestRecord[], attemptNumber: number) {
  const request = requests.find(({ number }) => number === attemptNumber)
  if (request === undefined) return null
  return { method: request.method, url: request.url, headers: { ...request.headers } }
}
