import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppDeps } from '../context.ts'
import { Problem } from '../problems.ts'
import { isOptionalBody } from '../schemas.ts'
import type { BodyReservation } from './budget.ts'
import { CutBody } from './cutBody.ts'
import { type ExceededLimit, JsonScanner } from './jsonScanner.ts'
import { EVENT_LIMIT_BYTES, JSON_LIMITS, type JsonLimits, SMALL_BYTES } from './limits.ts'
import { malformedText } from './malformed.ts'
import { bodyOwnerOf } from './owner.ts'
import { findPrototype, mayNamePrototype, prototypeRefused } from './prototypes.ts'
import type { LoopTurns, Slice } from './turns.ts'
import { receiveBody } from './upload.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Limits of a body, if they differ from those for events. */
    readonly jsonLimits?: JsonLimits
  }
  interface FastifyRequest {
    /** The reserved memory, until the request is answered; `null`: it has no body. */
    bodyReservation: BodyReservation | null
    /** The rest of the request's turn of the event loop, when its body is large. */
    slice: Slice | null
  }
}

type Deps = Pick<AppDeps, 'bodyBudget' | 'arrivals'> & { readonly turns: LoopTurns }

/**
 * Reads and parses bodies: only JSON, within the memory budget, and with messages that locate syntax errors. An empty body
 * counts as none, since many clients send a content type with every POST.
 */
export function parseBodies(app: FastifyInstance, deps: Deps): void {
  app.removeAllContentTypeParsers()
  app.decorateRequest('bodyReservation', null)
  app.decorateRequest('slice', null)
  app.addContentTypeParser('application/json', (request, payload, done) => {
    const wrongEncoding = refuseEncoding(request)
    if (wrongEncoding !== null) return done(wrongEncoding)
    const reservation = deps.bodyBudget.open(bodyOwnerOf(request))
    request.bodyReservation = reservation
    const limitBytes = request.routeOptions.bodyLimit!
    const limits = request.routeOptions.config.jsonLimits ?? JSON_LIMITS
    // Its items are limited separately: only a batch may be larger than an event.
    const isBatch = limits === JSON_LIMITS && limitBytes > EVENT_LIMIT_BYTES
    let scanner: JsonScanner | null = null
    receiveBody(
      {
        payload,
        announcedBytes: announcedBytes(request),
        limitBytes,
        reservation,
        arrivals: deps.arrivals,
        inspect(bytes, end) {
          scanner ??= new JsonScanner(limits, isBatch)
          const exceeded = scanner.scan(bytes, end)
          return exceeded === null ? null : reservation.refuse('complex', tooComplex(exceeded, isBatch))
        },
      },
      (problem, body) => {
        if (body === null) done(problem)
        else if (scanner !== null) {
          const slice = deps.turns.slice(reservation.group)
          request.slice = slice
          parseLarge({ request, reservation, body, scanner, slice }).then((value) => done(null, value), done)
        } else if (body.length > SMALL_BYTES)
          deps.turns.run(reservation.group, () => parseNow(request, body, done))
        else parseNow(request, body, done)
      },
    )
  })
  app.addContentTypeParser('*', (request, payload, done) => {
    if (request.headers['content-type'] !== undefined) return done(wrongMediaType())
    // Some clients announce a body for every POST, without a type, and send none.
    payload.once('data', () => done(wrongMediaType()))
    payload.once('end', () => done(null, undefined))
  })
  // Even if the client is gone: the parsed body takes memory until the work is done.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.bodyReservation?.release()
    done(null, payload)
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

function announcedBytes({ headers }: FastifyRequest): number | null {
  const length = headers['content-length']
  return length === undefined ? null : Number(length)
}

function refuseEncoding({ headers }: FastifyRequest): Problem | null {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return null
  return new Problem('unsupported_media_type', 'Send the body without a Content-Encoding.')
}

function wrongMediaType(): Problem {
  return new Problem(
    'unsupported_media_type',
    'The request body must be sent with Content-Type: application/json.',
  )
}

function tooComplex(exceeded: ExceededLimit, isBatch: boolean): Problem {
  const { depth, valuesOfPart, valuesInAll, bytesOfPart } = JSON_LIMITS
  const what = isBatch ? 'Each event' : 'The request body'
  const details: Readonly<Record<ExceededLimit, string>> = {
    depth: `The request body is nested more than ${depth} levels deep.`,
    valuesOfPart: `${what} can have at most ${valuesOfPart} members and list items in total.`,
    valuesInAll: `The request body can have at most ${valuesInAll} members and list items in total.`,
    bytesOfPart: `An event can take at most ${bytesOfPart} bytes of the request body, including spaces and escapes. The same limit applies to everything outside of events.`,
    items: `The request body has a list of more than ${valuesOfPart} items.`,
  }
  return new Problem('payload_too_large', details[exceeded])
}

function parseNow(
  request: FastifyRequest,
  body: Buffer,
  done: (problem: Problem | null, value?: unknown) => void,
): void {
  let value: unknown
  try {
    refuseWithoutClient(request)
    value = parseJson(body)
  } catch (error) {
    done(error as Problem)
    return
  }
  done(null, value)
}

function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined
  refuseOtherEncodings(body)
  const text = body.toString('utf8', startOf(body))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw malformedText(text, error)
  }
  const prototype = mayNamePrototype(text) ? findPrototype(value) : null
  if (prototype !== null) throw prototypeRefused(prototype)
  return value
}

/** Parses a scanned body, in turns with others and with pauses. */
async function parseLarge(params: {
  readonly request: FastifyRequest
  readonly reservation: BodyReservation
  readonly body: Buffer
  readonly scanner: JsonScanner
  readonly slice: Slice
}): Promise<unknown> {
  const { request, reservation, body, scanner, slice } = params
  await slice.next()
  refuseWithoutClient(request)
  refuseOtherEncodings(body)
  const cut = new CutBody(body, startOf(body), scanner.items)
  if (cut.slowBytesOutside > JSON_LIMITS.bytesOfPart) {
    throw reservation.refuse('complex', tooComplex('bytesOfPart', true))
  }
  return cut.parse(slice)
}

/** Parsing for a client that is gone takes time from others. */
function refuseWithoutClient({ socket }: FastifyRequest): void {
  if (socket.destroyed) throw new Problem('malformed_request', 'The client closed the connection.')
}

/** Decoding would silently replace invalid bytes by U+FFFD. */
function refuseOtherEncodings(body: Buffer): void {
  if (!isUtf8(body)) throw new Problem('malformed_json', 'The request body is not valid UTF-8.')
}

/** Behind a byte order mark. */
const startOf = (body: Buffer) => (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0)
