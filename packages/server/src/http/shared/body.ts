import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalidRequest, Problem } from './problems.ts'
import { isOptionalBody } from './schemas.ts'
import { Turns } from './turns.ts'

/** Bodies of management requests are small; a generous bound is enough. */
export const MANAGEMENT_BODY_LIMIT_BYTES = 64 * 1024
/** The whole request that publishes one event. */
export const EVENT_LIMIT_BYTES = 256 * 1024
/** The whole request that publishes a batch; each of its events is held to {@link EVENT_LIMIT_BYTES} too. */
export const BATCH_BODY_LIMIT_BYTES = 5 * 1024 * 1024

/** A body above this is a batch; to take several of them in one turn of the event loop would delay all that is sent. */
const LARGE_BYTES = 64 * 1024

/**
 * Takes over the parsing of bodies: JSON alone, and with messages that say where it broke.
 * An empty body is no body, since many clients send a content type with every POST.
 */
export function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const turns = new Turns()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const parse = () => {
      let value: unknown
      try {
        // `parseAs` says that it is a buffer; the declared type cannot know.
        value = parseJson(request, body as Buffer)
      } catch (error) {
        done(error as Problem)
        return
      }
      done(null, value)
    }
    if (body.length > LARGE_BYTES) turns.take(parse)
    else parse()
  })
  app.addContentTypeParser('*', (request, payload, done) => {
    if (request.headers['content-type'] !== undefined) return done(wrongMediaType())
    // Some clients announce a body for every POST, say nothing of its type, and send none.
    payload.once('data', () => done(wrongMediaType()))
    payload.once('end', () => done(null, undefined))
  })
}

/** Routes that say so are asked for `{}` by a request without a body. Call it before any route is there. */
export function fillOptionalBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!isOptionalBody(route.schema?.body)) return
    route.preValidation = (request, _reply, done) => {
      if (request.body === undefined) request.body = {}
      done()
    }
  })
}

function wrongMediaType(): Problem {
  return new Problem(
    'unsupported_media_type',
    'The request body must be sent with Content-Type: application/json.',
  )
}

function parseJson(request: FastifyRequest, body: Buffer): unknown {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Problem('unsupported_media_type', 'Send the body as it is, without a Content-Encoding.')
  }
  if (body.length === 0) return undefined
  // Decoding would put U+FFFD for what it cannot read, and events would be changed without a word.
  if (!isUtf8(body)) throw new Problem('malformed_json', 'The request body is not valid UTF-8.')
  const text = body.toString('utf8', hasByteOrderMark(body) ? 3 : 0)
  const value = parseText(text)
  refusePrototypes(text, value)
  return value
}

function hasByteOrderMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('malformed_json', `The request body is not valid JSON${whereItBroke(text, error)}.`)
  }
}

/** Only the place is taken from the parser's message: the rest may quote the body. */
function whereItBroke(text: string, error: unknown): string {
  if (!(error instanceof SyntaxError)) return ''
  const position = /at position (\d+)/.exec(error.message)?.[1]
  if (error.message.includes('end of JSON input') || Number(position) >= text.length) {
    return ': it ends too early'
  }
  if (position === undefined) return ''
  const before = text.slice(0, Number(position)).split('\n')
  return `: look at line ${before.length}, column ${before.at(-1)!.length + 1}`
}

/**
 * Refuses members named `__proto__`. They are harmless to us, but a receiver that merges what it was sent into an
 * object of its own would be poisoned through us.
 */
function refusePrototypes(text: string, value: unknown): void {
  // `\u005f` is the only other way to write an underscore.
  if (!text.includes('__proto__') && !text.includes('\\u005')) return
  const queue: { readonly value: unknown; readonly pointer: string }[] = [{ value, pointer: '' }]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue
    for (const [member, inner] of Object.entries(next.value)) {
      if (member === '__proto__') {
        throw invalidRequest([{ pointer: `${next.pointer}/__proto__`, message: 'is not allowed as a name' }])
      }
      const escaped = member.replaceAll('~', '~0').replaceAll('/', '~1')
      queue.push({ value: inner, pointer: `${next.pointer}/${escaped}` })
    }
  }
}
