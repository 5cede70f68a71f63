import { HOUR_MS, MINUTE_MS } from '../../../core/duration.ts'
import { IDEMPOTENCY_MS } from '../../../engine/maintenance/loops.ts'
import { SHOWN_AGAIN_MS } from '../../../engine/manage/shownSecrets.ts'
import { PROBLEMS, type ProblemCode } from '../../shared/problems.ts'
import type { EventService } from '../events/service.ts'
import type { Operation, Paths } from '../objects.ts'
import { codesOf } from '../problemExamples.ts'
import { isRateLimited, takes } from '../responseHeaders.ts'

/** A heading and what stands under it, in Markdown. */
export const section = (heading: string, ...paragraphs: readonly string[]) =>
  [`## ${heading}`, ...paragraphs].join('\n\n')

export const operationsOf = (paths: Paths): readonly Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item))

/** What any path can answer, wherever it leads. */
const EVERYWHERE: readonly ProblemCode[] = [
  'malformed_request',
  'route_not_found',
  'method_not_allowed',
  'request_timeout',
  'too_many_uploads',
  'uploads_full',
  'headers_too_large',
  'method_not_implemented',
]

export function errors(paths: Paths): string {
  const responses = operationsOf(paths).flatMap((operation) => Object.values(operation.responses))
  const codes = new Set([...responses.flatMap(codesOf), ...EVERYWHERE])
  const rows = Object.entries(PROBLEMS)
    .filter(([code]) => codes.has(code as ProblemCode))
    .map(([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} |`)
  return section(
    'Errors',
    'Every error is a problem document (RFC 9457, `application/problem+json`). Branch on `code`, which is never renamed; `detail` is for people and may be reworded. `errors` lists every error in the input, each with a JSON pointer to its place. Give `request_id`, which is also the `X-Request-Id` of the response, to the operator when you ask for help.',
    ['| status | code | meaning |', '| --- | --- | --- |', ...rows].join('\n'),
    'For 429 and 503, `Retry-After` has the seconds to wait before a retry. Requests for resources that you cannot access get 404, as if the resources did not exist.',
  )
}

/** @param member the member of a page that holds the next cursor */
export function lists(paths: Paths, member: string): string {
  const isFeed = operationsOf(paths).some(({ parameters = [] }) =>
    parameters.some(({ name }) => name === 'after'),
  )
  const feed = `The feed of events starts with the oldest event. To continue, send its \`${member}\` as \`after\`. The cursor of the last page stays valid: keep it, and continue later without missing an event.`
  return section(
    'Lists',
    `Lists have the newest items first, \`limit\` per page. If there are more, \`${member}\` is not null: send it, unchanged, as \`cursor\` to get the next page. New items do not shift the pages. A cursor is opaque and valid only for its list.`,
    ...(isFeed ? [feed] : []),
  )
}

/** @param omitted the member of an answer that says why a secret in it is null */
export function repeats(paths: Paths, omitted: string): string | null {
  if (!operationsOf(paths).some((operation) => takes(operation, 'idempotency-key'))) return null
  return section(
    'Repeating requests',
    `If a POST gets no response, you do not know whether it was carried out. Send your own \`Idempotency-Key\`, such as a UUID, with each POST. For ${IDEMPOTENCY_MS / HOUR_MS} hours, the same request with the same key gets the first response, and nothing is done twice. A secret in the response is shown again for ${SHOWN_AGAIN_MS / MINUTE_MS} minutes, a signing secret only while it is the newest; after that it is null, and \`${omitted}\` says why. Another request with the same key is rejected with 422 \`idempotency_key_reused\`; a repeat while the first request is still in progress is rejected with 409 \`idempotency_key_in_use\`.`,
  )
}

export function versions(paths: Paths): string | null {
  if (!operationsOf(paths).some((operation) => takes(operation, 'if-match'))) return null
  return section(
    'Concurrent changes',
    'Reading a webhook returns an `ETag`. Send it as `If-Match` with a change: if the webhook was changed in between, your change is rejected with 412 `version_mismatch` and nothing is overwritten. Without `If-Match`, the last change wins.',
  )
}

/** @param perMinute tests and resends that a workspace may ask for */
export function limits(paths: Paths, perMinute: number): string | null {
  const limited = operationsOf(paths).filter(isRateLimited)
  if (limited.length === 0) return null
  const names = limited.map(({ operationId }) => `\`${operationId}\``).join(' and ')
  const left = Math.floor(perMinute * 0.7)
  return section(
    'Rate limits',
    `${names} share a limit for each workspace. Their responses show how much of it is left: \`RateLimit-Policy: "manual-sends";q=${perMinute};w=60\` means ${perMinute} in any 60 seconds, and \`RateLimit: "manual-sends";r=${left};t=42\` that ${left} are left now and one more in 42 seconds. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` have the same numbers for older clients. Above the limit, the response is 429 with \`Retry-After\`.`,
  )
}

/** The sections of a document that have something to say. */
export const joined = (...sections: readonly (string | null)[]) =>
  sections.filter((one) => one !== null).join('\n\n')

/** Words in a row: `a, b and c`. */
export const listed = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** Links to the documents of services. */
export const documentsOf = (services: readonly EventService[]) =>
  listed(services.map(({ name }) => `[${name}](/openapi/${name}.json)`))
