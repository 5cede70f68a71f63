import type { ApiDocument } from '../api/apiDocument.ts'
import { checkAnswer, checkDescribed, parseJson, textOf } from '../api/checkAnswer.ts'
import { mediaTypeOf, type Operation } from '../api/operation.ts'
import { type Answer, EVENT_STREAM, type NoAnswerError, type WireRequest } from '../api/transport.ts'
import type { BuiltRequest } from './requests/build.ts'
import type { Described, Router } from './router.ts'

/** Why an answer is not allowed. */
export interface Fault {
  /** A few words that distinguish kinds of faults. */
  readonly kind:
    | 'server error'
    | 'no answer'
    | 'not described'
    | 'pattern shown'
    | 'unauthenticated request accepted'
    | 'request of another account accepted'
    | 'invalid request accepted'
  readonly details: readonly string[]
}

/** The part of a document that describes every error answer. */
const PROBLEM_SCHEMA = { pointer: '#/components/schemas/Problem' }

/** Statuses for requests that reach no operation: path, method, headers or body are wrong. */
const REFUSALS_WITHOUT_OPERATION = [400, 404, 405, 413, 415, 417, 422, 431]
/** Node's limit for the whole head of a request. */
const HEAD_LIMIT_BYTES = 16 * 1024

/**
 * Describes the problem of an answer; `null` when there is none.
 * @param planned the operation that the request was made for; its path may lead to another
 */
export function judge(
  router: Router,
  planned: Described,
  request: BuiltRequest,
  answer: Answer | NoAnswerError,
): Fault | null {
  const { wire } = request
  if (answer instanceof Error) return { kind: 'no answer', details: [answer.message] }
  if (answer.status >= 500) return { kind: 'server error', details: [`status ${answer.status}`] }
  const shown = shownPatterns(answer)
  if (shown.length > 0) return { kind: 'pattern shown', details: shown }
  const reached = router.find(wire.method, wire.path)
  if (reached === null || isRefusedBefore(wire, answer))
    return judgeRefusal(router, planned.document, wire, answer)
  if (isStreamEndedEarly(answer)) return null
  const undescribed = checkAnswer(reached.document, reached.operation, answer)
  if (undescribed.length > 0) return { kind: 'not described', details: undescribed }
  if (answer.status >= 300) return null
  return judgeSuccess(reached, reached.operation === planned.operation, request)
}

/** Texts for people that contain a regular expression: an error must describe in words what is allowed. */
function shownPatterns({ status, headers, body }: Answer): readonly string[] {
  if (status < 400 || mediaTypeOf(headers['content-type'] ?? '') !== 'application/problem+json') return []
  const { detail, errors = [] } = (parseJson(textOf(body) ?? '')?.value ?? {}) as ProblemTexts
  const texts = [detail ?? '', ...errors.map(({ message }) => message)]
  return texts.filter((text) => REGULAR_EXPRESSION.test(text))
}

interface ProblemTexts {
  readonly detail?: string
  readonly errors?: readonly { readonly message: string }[]
}

/** Character sequences of regular expressions that appear in no sentence. */
const REGULAR_EXPRESSION = /\[\^|\[\S-\S|\\[pdwsux]|\{\d+,|\(\?|[\])][*+?$]/

/** True for answers of the HTTP layer, before any operation. */
function isRefusedBefore({ path, headers }: WireRequest, { status }: Answer): boolean {
  if (status === 417) return headers.some(([name, value]) => name === 'expect' && value !== '100-continue')
  return status === 431 && path.length + headers.flat().join('    ').length > HEAD_LIMIT_BYTES - 1_000
}

/** Other requests end sessions, and a stream ends with its session, possibly before its first event. */
const isStreamEndedEarly = ({ status, headers, body }: Answer) =>
  status === 200 &&
  mediaTypeOf(headers['content-type'] ?? '') === EVENT_STREAM &&
  /^(?:(?:retry: \d+|:.*)?\n)*$/.test(body.toString())

function judgeSuccess(
  { document, operation }: Described,
  isAsPlanned: boolean,
  request: BuiltRequest,
): Fault | null {
  const { wire, caller, isForeign } = request
  if (caller === null && operation.security.length > 0)
    return { kind: 'unauthenticated request accepted', details: [] }
  if (isForeign && isAsPlanned) return { kind: 'request of another account accepted', details: [] }
  const mistakes = mistakesIn(document, operation, wire)
  return mistakes.length === 0 ? null : { kind: 'invalid request accepted', details: mistakes }
}

/** Validation errors of a request's body against the document. */
function mistakesIn(document: ApiDocument, { body }: Operation, wire: WireRequest): readonly string[] {
  if (body === null) return []
  if (wire.body === null || wire.body.length === 0) return body.required ? ['there is no body'] : []
  const types = wire.headers.filter(([name]) => name === 'content-type')
  const schema = body.content.get(mediaTypeOf(types.at(-1)?.[1] ?? ''))
  if (schema === undefined) return [`the content type is not described`]
  const text = textOf(wire.body)
  const json = text === null ? null : parseJson(text.replace(/^\ufeff/, ''))
  if (json === null) return ['the body is not JSON']
  return schema === null ? [] : document.validate(schema)(json.value)
}

/** A request that reaches no operation gets an error in the common form. */
function judgeRefusal(
  router: Router,
  document: ApiDocument,
  wire: WireRequest,
  answer: Answer,
): Fault | null {
  if (isPage(wire, answer) || listsMethods(wire, answer)) return null
  if (wire.method === 'HEAD') return judgeHead(router, wire, answer)
  if (!REFUSALS_WITHOUT_OPERATION.includes(answer.status)) {
    return { kind: 'not described', details: ['no operation is at this path, and this is no refusal'] }
  }
  const refusal = {
    headers: [],
    content: new Map([['application/problem+json', PROBLEM_SCHEMA]]),
  }
  const mistakes = checkDescribed(document, refusal, answer)
  return mistakes.length === 0 ? null : { kind: 'not described', details: mistakes }
}

/**
 * Pages for people are not part of the API, and no document describes them. A browser also gets one for an
 * unknown address.
 */
const isPage = ({ method, headers: asked }: WireRequest, { status, headers }: Answer) =>
  (method === 'GET' || method === 'HEAD') &&
  (status === 200 ||
    (status === 404 && asked.some(([name, value]) => name === 'accept' && value.includes('text/html')))) &&
  mediaTypeOf(headers['content-type'] ?? '') === 'text/html'

/** OPTIONS is answered for every path that has a method. */
const listsMethods = ({ method }: WireRequest, { status, headers, body }: Answer) =>
  method === 'OPTIONS' && status === 204 && headers.allow !== undefined && body.length === 0

/** HEAD answers as GET does, without the body. */
function judgeHead(router: Router, { path }: WireRequest, answer: Answer): Fault | null {
  const get = router.find('GET', path)
  const statuses = get === null ? [] : [...get.operation.responses.keys()]
  const isRefusal = REFUSALS_WITHOUT_OPERATION.includes(answer.status)
  if (!isRefusal && !statuses.includes(String(answer.status))) {
    return { kind: 'not described', details: ['GET is not described to answer so'] }
  }
  return answer.body.length === 0
    ? null
    : { kind: 'not described', details: ['HEAD was answered with a body'] }
}
