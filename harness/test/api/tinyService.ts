import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { answer, bodyOf, problem, THING } from './tiny.ts'

/** A faulty service's response instead of the correct one; `false`: the correct one. */
export type Misbehave = (request: IncomingMessage, body: string, response: ServerResponse) => boolean

/** Owners by their keys. */
export const OWNERS: Readonly<Record<string, string>> = { 'key-of-ann': 'ann', 'key-of-bob': 'bob' }

/** The service that `TINY` describes, in memory and, except for the requested faults, correct. */
export function tinyService(misbehave: Misbehave = () => false): RequestListener {
  const service = new TinyService()
  return async (request, response) => {
    const body = await bodyOf(request)
    if (!misbehave(request, body, response)) service.handle(request, body, response)
  }
}

class TinyService {
  readonly #things = new Map<string, { readonly owner: string; readonly name: string }>()
  #made = 0

  handle(request: IncomingMessage, body: string, response: ServerResponse): void {
    const path = pathOf(request)
    if (path === null) {
      answer(response, 400, problem(400))
      return
    }
    const id = /^\/things\/([^/]*)$/.exec(path)?.[1]
    const owner = OWNERS[/^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '']
    const route = `${request.method} ${id === undefined ? path : '/things/{id}'}`
    if (route === 'POST /things') this.#create(owner, nameIn(request, body), response)
    else if (route === 'GET /things/{id}') this.#read(owner, id!, response)
    else if (route === 'DELETE /things/{id}') this.#remove(owner, id!, response)
    else answer(response, request.method === 'HEAD' ? 404 : 405, problem(405))
  }

  #create(owner: string | undefined, name: string | null, response: ServerResponse): void {
    if (owner === undefined) answer(response, 401, problem(401))
    else if (name === null) answer(response, 422, problem(422))
    else {
      const id = `thing_${this.#made}`
      this.#made += 1
      this.#things.set(id, { owner, name })
      answer(response, 201, { ...THING, id, name }, { location: `/things/${id}` })
    }
  }

  #read(owner: string | undefined, id: string, response: ServerResponse): void {
    const thing = this.#things.get(id)
    if (owner === undefined) answer(response, 401, problem(401))
    else if (thing?.owner !== owner) answer(response, 404, problem(404))
    else answer(response, 200, { ...THING, id, name: thing.name }, { 'x-count': '1' })
  }

  #remove(owner: string | undefined, id: string, response: ServerResponse): void {
    const thing = this.#things.get(id)
    if (owner === undefined || thing?.owner !== owner) answer(response, 404, problem(404))
    else {
      this.#things.delete(id)
      response.writeHead(204).end()
    }
  }
}

/** Decoded; `null` when that fails. */
function pathOf(request: IncomingMessage): string | null {
  const raw = request.url!.split(/[?#]/, 1)[0]!
  try {
    return raw
      .split('/')
      .map((segment) => decodeURIComponent(segment).replaceAll('/', '%2F'))
      .join('/')
  } catch {
    return null
  }
}

/** The name in a valid body; `null` for any other. */
function nameIn(request: IncomingMessage, body: string): string | null {
  // U+FFFD replaces invalid UTF-8.
  if (body.includes('\ufffd')) return null
  if (!/^application\/json *(;|$)/i.test(request.headers['content-type'] ?? '')) return null
  try {
    const { name, size = null, ...rest } = JSON.parse(body.replace(/^\ufeff/, ''))
    const isName = typeof name === 'string' && name !== '' && [...name].length <= 20
    const isSize = size === null || (Number.isInteger(size) && size >= 0 && size <= 100)
    return isName && isSize && Object.keys(rest).length === 0 ? name : null
  } catch {
    return null
  }
}
