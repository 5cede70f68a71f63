import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { Problem } from './problems.ts'

/** Schema of the headers of a request that changes what has versions. */
export const ifMatchHeader = {
  'if-match': Type.Optional(
    Type.String({
      minLength: 1,
      examples: ['"v3"'],
      description:
        'The `ETag` of the webhook when you last read it. The change is rejected with 412 if the webhook was changed since then. Without this header, the last change wins.',
    }),
  ),
}
export const ifMatchHeaders = Type.Object(ifMatchHeader)

const etagOf = (version: number) => `"v${version}"`

/** Names the version of something, as far as people set it; the health that attempts leave on a webhook is not part of it. */
export function setETag(reply: FastifyReply, { version }: { readonly version: number }): void {
  reply.header('etag', etagOf(version))
}

/**
 * Reads `If-Match` (RFC 9110, section 13.1.1). Tags that are not ours, weak ones among them, match no version.
 * @returns `null` when any version will do
 */
export function versionsInIfMatch(header: string | undefined): readonly number[] | null {
  if (header === undefined || header.trim() === '*') return null
  return header
    .split(',')
    .map((tag) => /^\s*"v(\d{1,15})"\s*$/.exec(tag)?.[1])
    .filter((version) => version !== undefined)
    .map(Number)
}

/** The refusal of a change to a version that is no more. */
export function changedMeanwhile(
  { version }: { readonly version: number },
  what: 'webhook' | 'service' = 'webhook',
): Problem {
  const detail = `The ${what} was changed since you read it with this ETag. Read it again and repeat the change.`
  return new Problem('version_mismatch', detail, { headers: { etag: etagOf(version) } })
}
