import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppDeps } from '../context.ts'
import { invalidRequest, Problem } from '../problems.ts'
import { isOptionalBody } from '../schemas.ts'
import type { BodyHold } from './budget.ts'
import { LARGE_BYTES } from './limits.ts'
import { bodyOwnerOf } from './owner.ts'
import { Turns } from './turns.ts'
import { receiveBody } from './upload.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the body counts for, until the request is answered; `null`: it has no body that is read. */
    bodyHold: BodyHold | null
  }
}

/**
 * Takes over the reading and parsing of bodies: JSON alone, within the budget of memory, and with messages that say where
 * it broke. An empty body is no body, since many clients send a content type with every POST.
 */
export function parseBodies(app: FastifyInstance, deps: Pick<AppDeps, 'bodyBudget' | 'arrivals'>): void {
  app.removeAllContentTypeParsers()
  app.decorateRequest('bodyHold', null)
  const turns = new Turns()
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const wrongEncoding = refuseEncoding(request)
    if (wrongEncoding !== null) return done(wrongEncoding)
    const hold = deps.bodyBudget.open(bodyOwnerOf(request))
    request.bodyHold = hold
    receiveBody(
      {
        payload,
        announcedBytes: announcedBytes(request),
        limitBytes: request.routeOptions.bodyLimit!,
        hold,
        arrivals: deps.arrivals,
        inspect: () => null,
      },
      (problem, body) => {
        if (body === null) return done(problem)
        const parse = () => {
          let value: unknown
          try {
            value = parseJson(body)
          } catch (error) {
            done(error as Problem)
            return
          }
          done(null, value)
        }
        if (body.length > LARGE_BYTES) turns.take(parse)
        else parse()
      },
    )
  })
  app.addContentTypeParser('*', (request, payload, done) => {
    if (request.headers['content-type'] !== undefined) return done(wrongMediaType())
    // Some clients announce a body for every POST, say nothing of its type, and send none.
    payload.once('data', () => done(wrongMediaType()))
    payload.once('end', () => done(null, undefined))
  })
  // Also when the client is gone: what was made of the body takes memory until the work is done.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.bodyHold?.release()
    done(null, payload)
  })
}

function announcedBytes({ headers }: FastifyRequest): number | null {
  const length = headers['content-length']
  return length === undefined ? null : Number(length)
}

function refuseEncoding({ headers }: FastifyRequest): Problem | null {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return null
  return new Problem('unsupported_media_type', 'Send the body as it is, without a Content-Encoding.')
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

function parseJson(body: Buffer): unknown {
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
