import {
  METHODS,
  type MediaTypeObject,
  type MethodName,
  type OpenApi,
  type SecurityRequirement,
} from './openapi.ts'
import type {
  Content,
  DescribedHeader,
  DescribedResponse,
  Operation,
  Parameter,
  SchemaPlace,
} from './operation.ts'
import { type Place, Places } from './pointer.ts'
import { type Validate, Validators } from './validators.ts'

/** A parsed OpenAPI document: its operations, and validators for its schemas. */
export class ApiDocument {
  /** What the document describes, for messages. */
  readonly name: string
  readonly source: OpenApi
  readonly operations: readonly Operation[]
  readonly places: Places
  readonly #validators: Validators

  /** @throws Error when it is not an OpenAPI 3.1 document or has an unresolvable reference */
  constructor(name: string, source: OpenApi) {
    if (!/^3\.1\./.test(source.openapi)) throw new Error(`${name} is not an OpenAPI 3.1 document`)
    this.name = name
    this.source = source
    this.places = new Places(source)
    this.#validators = new Validators(source)
    this.operations = readOperations(this.places, source.security ?? [])
  }

  validate(schema: SchemaPlace): Validate {
    return this.#validators.at(schema.pointer)
  }
}

function readOperations(places: Places, security: readonly SecurityRequirement[]): readonly Operation[] {
  return places.children(places.child(places.root, 'paths')).flatMap((item) =>
    METHODS.flatMap((method) => {
      const place = places.child<{ readonly security?: readonly SecurityRequirement[] }>(item, method)
      return place === null ? [] : [readOperation({ places, item, place, method, path: item.name, security })]
    }),
  )
}

interface Found {
  readonly places: Places
  readonly item: Place<unknown>
  readonly place: Place<{ readonly operationId?: string; readonly security?: readonly SecurityRequirement[] }>
  readonly method: MethodName
  readonly path: string
  readonly security: readonly SecurityRequirement[]
}

function readOperation({ places, item, place, method, path, security }: Found): Operation {
  const body = places.child<{ readonly required?: boolean }>(place, 'requestBody')
  return {
    id: place.value.operationId ?? `${method.toUpperCase()} ${path}`,
    method,
    path,
    parameters: readParameters(places, item, place),
    body:
      body === null ? null : { required: body.value.required === true, content: readContent(places, body) },
    responses: new Map(
      places
        .children(places.child(place, 'responses'))
        .map((response) => [response.name, readResponse(places, response)]),
    ),
    security: place.value.security ?? security,
  }
}

/** Parameters of the path come first; those of the operation override them. */
function readParameters(places: Places, item: Place<unknown>, place: Place<unknown>): readonly Parameter[] {
  const byName = new Map<string, Parameter>()
  for (const owner of [item, place]) {
    for (const parameter of places.children<Omit<Parameter, 'schema'>>(places.child(owner, 'parameters'))) {
      const { name, in: where, required } = parameter.value
      byName.set(`${where} ${name}`, { name, in: where, required, schema: places.child(parameter, 'schema') })
    }
  }
  return [...byName.values()].map((parameter) => ({ ...parameter, required: parameter.required === true }))
}

function readResponse(places: Places, response: Place<unknown>): DescribedResponse {
  const headers = places.children<{ readonly required?: boolean }>(places.child(response, 'headers')).map(
    (header): DescribedHeader => ({
      name: header.name.toLowerCase(),
      // A described header is required unless the document says otherwise.
      required: header.value.required !== false,
      schema: places.child(header, 'schema'),
    }),
  )
  return { headers, content: readContent(places, response) }
}

function readContent(places: Places, owner: Place<unknown>): Content {
  return new Map(
    places
      .children<MediaTypeObject>(places.child(owner, 'content'))
      .map((media) => [media.name.toLowerCase(), places.child(media, 'schema')]),
  )
}
