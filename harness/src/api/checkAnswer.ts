import type { ApiDocument } from './apiDocument.ts'
import {
  type DescribedHeader,
  type DescribedResponse,
  mediaTypeOf,
  type Operation,
  responseFor,
  type SchemaPlace,
} from './operation.ts'
import { type Answer, EVENT_STREAM } from './transport.ts'

/** A body as text; `null` when it is not UTF-8. */
export function textOf(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return null
  }
}

/** The parts of an answer that the document does not describe; empty when all are described. */
export function checkAnswer(document: ApiDocument, operation: Operation, answer: Answer): readonly string[] {
  const described = responseFor(operation, answer.status)
  if (described === null) {
    return [`the status is not described; ${[...operation.responses.keys()].join(', ')} are`]
  }
  return checkDescribed(document, described, answer)
}

/** The same for one described response, anywhere in the document. */
export function checkDescribed(
  document: ApiDocument,
  described: DescribedResponse,
  answer: Answer,
): string[] {
  return [
    ...described.headers.flatMap((header) => checkHeader(document, header, answer)),
    ...checkBody(document, described, answer),
  ]
}

function checkHeader(
  document: ApiDocument,
  { name, required, schema }: DescribedHeader,
  answer: Answer,
): string[] {
  const text = answer.headers[name]
  if (text === undefined) return required ? [`the header ${name} is missing`] : []
  if (schema === null) return []
  const validate = document.validate(schema)
  // A header is text; its schema may describe a number or boolean.
  const readings = [text, ...jsonScalar(text)].map((value) => validate(value))
  if (readings.some((mistakes) => mistakes.length === 0)) return []
  return readings[0]!.map((mistake) => `the header ${name}: ${text}: ${mistake}`)
}

function jsonScalar(text: string): unknown[] {
  return /^(-?\d+(\.\d+)?|true|false)$/.test(text) ? [JSON.parse(text)] : []
}

function checkBody(document: ApiDocument, { content }: DescribedResponse, answer: Answer): string[] {
  if (content.size === 0) return answer.body.length === 0 ? [] : ['a body came where none is described']
  const mediaType = mediaTypeOf(answer.headers['content-type'] ?? '')
  const schema = content.get(mediaType)
  if (schema === undefined) {
    return [`the content type ${mediaType || 'is missing'}; ${[...content.keys()].join(', ')} are described`]
  }
  const text = textOf(answer.body)
  if (text === null) return ['the body is not UTF-8']
  if (schema === null) return []
  const read = readBody(mediaType, text)
  if (read === null) return ['the body is not JSON']
  const place = mediaType === EVENT_STREAM ? dataOfEvent(schema) : schema
  return document
    .validate(place)(read.value)
    .map((mistake) => `the body: ${mistake}`)
}

/** The place of the schema for an event's data. */
const dataOfEvent = ({ pointer }: SchemaPlace): SchemaPlace => ({
  pointer: `${pointer}/properties/data/contentSchema`,
})

/** For an event stream, the document describes the data of the first event. */
function readBody(mediaType: string, text: string): { readonly value: unknown } | null {
  if (mediaType === EVENT_STREAM) return parseJson(/^data: (.*)$/m.exec(text)?.[1] ?? '')
  return isJson(mediaType) ? parseJson(text) : { value: text }
}

const isJson = (mediaType: string) => mediaType === 'application/json' || mediaType.endsWith('+json')

/** The value in an object, since a JSON value may be `null`. */
export function parseJson(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}
