import fastJson, { type Schema } from 'fast-json-stringify'
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { lazy } from '../../core/lazy.ts'
import { createEventSchemas } from '../../engine/publish/eventSchemas.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import type { DeliveryRecord } from '../../storage/rows.ts'
import { LINEAR } from '../../validation/linearPatterns.ts'
import type { Validator } from '../../validation/validators.ts'
import type { Caller } from '../shared/caller.ts'
import type { Context, ServiceContext } from '../shared/context.ts'
import { isOptionalBody } from '../shared/schemas.ts'
import { bodyValidatorOf, parameterValidator } from '../shared/validation.ts'
import { type Spelling, spellingOf } from './case.ts'
import { deliveryJson, deliverySchema } from './delivery.ts'
import { pathParams } from './layout.ts'
import type { Operation, OperationSchema } from './operation.ts'

type Write = (value: unknown) => string

/** An operation as one service has it: everything is compiled when it is first needed. */
export class ServedOperation {
  readonly #operation: Operation
  readonly #schema: OperationSchema
  readonly #spelling: Spelling
  readonly #service: ServedProfile
  readonly #writers = new Map<number, Write>()
  readonly #parts = lazy(() => this.#compileParts())
  readonly #readQuery = lazy(() => this.#reader(this.#schema.querystring))
  readonly #readBody = lazy(() => this.#reader(this.#schema.body))

  constructor(operation: Operation, service: ServedProfile) {
    this.#operation = operation
    this.#service = service
    this.#schema = operation.schema(service)
    this.#spelling = spellingOf(service.profile.case)
  }

  get takesBody(): boolean {
    return this.#schema.body !== undefined
  }

  /** The schema as routes have it, in the spelling of the service. */
  routeSchema() {
    const { params = {}, querystring, headers, body, response, ...rest } = this.#schema
    const spelled = (schema: TSchema) => this.#spelling.schema(schema)
    const ofPath = pathParams(this.#service.profile.paths, params)
    const { texts } = this.#service.profile
    const text = (part: 'summary' | 'description') => texts[`${this.#operation.name}.${part}`] ?? rest[part]
    return {
      ...rest,
      summary: text('summary'),
      description: text('description'),
      ...(ofPath === undefined ? {} : { params: ofPath }),
      ...(querystring === undefined ? {} : { querystring: spelled(querystring) }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body: spelled(body) }),
      response: Object.fromEntries(
        Object.entries(response).map(([status, schema]) => [status, spelled(schema)]),
      ),
    }
  }

  /**
   * Checks a request as the framework does: the first part that does not fit is what the answer speaks of.
   * @throws the framework's error, unless the operation has `bodyCheck`: it is left in `request.validationError` then
   */
  check(request: FastifyRequest): void {
    for (const { part, context, fits } of this.#parts()) {
      if (fits(part === 'body' ? this.#given(request) : request[part])) continue
      const error = Object.assign(new Error('invalid'), {
        statusCode: 400,
        code: 'FST_ERR_VALIDATION',
        validation: fits.errors!,
        validationContext: context,
      })
      if (this.#operation.bodyCheck === undefined) throw error
      request.validationError = error as unknown as NonNullable<FastifyRequest['validationError']>
      return
    }
  }

  #compileParts() {
    const { querystring, headers, body, params } = this.routeSchema()
    const parameter = (part: 'params' | 'query' | 'headers', context: string, schema: object | undefined) =>
      schema === undefined ? [] : [{ part, context, fits: parameterValidator(schema) }]
    const ofBody =
      body === undefined || this.#operation.bodyCheck === 'own'
        ? []
        : [{ part: 'body' as const, context: 'body', fits: bodyValidatorOf(this.#service)(body) }]
    // In the order in which the framework checks them.
    return [
      ...parameter('params', 'params', params),
      ...ofBody,
      ...parameter('query', 'querystring', querystring),
      ...parameter('headers', 'headers', headers),
    ] satisfies readonly {
      readonly part: 'params' | 'query' | 'headers' | 'body'
      readonly context: string
      readonly fits: Validator
    }[]
  }

  #reader(schema: TSchema | undefined) {
    return schema === undefined ? (value: unknown) => value : this.#spelling.reader(schema)
  }

  /** Query parameters in snake_case. */
  queryOf({ query }: FastifyRequest): object {
    return this.#readQuery()(query) as object
  }

  /** The body in snake_case. */
  bodyOf(request: FastifyRequest): unknown {
    return this.#readBody()(this.#given(request))
  }

  #given({ body }: FastifyRequest): unknown {
    return body === undefined && isOptionalBody(this.#schema.body) ? {} : body
  }

  /** The text of an answer. @param value in snake_case */
  textOf(status: number, value: object): string {
    let write = this.#writers.get(status)
    if (write === undefined) {
      write = this.#compileWriter(this.#schema.response[status]!)
      this.#writers.set(status, write)
    }
    return write(value)
  }

  #compileWriter(schema: TSchema): Write {
    const spell = this.#spelling.writer(schema)
    if (this.#operation.hasOpenMembers) return (value) => JSON.stringify(spell(value))
    const write = fastJson(this.#spelling.schema(schema) as Schema)
    return (value) => write(spell(value))
  }
}

/** A service as the API serves it: made once for each version of its profile. */
export class Service {
  readonly ctx: ServiceContext
  readonly #operations = new Map<Operation, ServedOperation | null>()
  readonly #deliveryWriter = lazy(() => {
    const { dialect } = this.ctx
    return spellingOf(dialect.profile.case).writer(deliverySchema(dialect))
  })

  constructor(ctx: Context, dialect: ServedProfile) {
    const { member } = spellingOf(dialect.profile.case)
    this.ctx = {
      ...ctx,
      dialect,
      member,
      eventSchemas: createEventSchemas(dialect.catalog, dialect.version === 0 ? {} : LINEAR),
    }
  }

  /** A delivery in the JSON of the service. */
  deliveryJson(caller: Caller, delivery: DeliveryRecord): object {
    return this.#deliveryWriter()(deliveryJson(this.ctx, caller, delivery)) as object
  }

  /** @returns `null`: the service does not have it */
  operation(operation: Operation): ServedOperation | null {
    let served = this.#operations.get(operation)
    if (served === undefined) {
      const { dialect } = this.ctx
      const has = operation.isIn?.(dialect.profile) ?? true
      served = has ? new ServedOperation(operation, dialect) : null
      this.#operations.set(operation, served)
    }
    return served
  }
}

/** Every service that is served now. */
export class Services {
  readonly #ctx: () => Context
  readonly #made = new WeakMap<ServedProfile, Service>()

  constructor(ctx: () => Context) {
    this.#ctx = ctx
  }

  /** @param dialect as a workspace names it @throws Error when it is not served */
  of(dialect: string): Service {
    const ctx = this.#ctx()
    const served = ctx.dialects.get(dialect)
    if (served === undefined) throw new Error(`the profile ${dialect} is not served here`)
    let service = this.#made.get(served)
    if (service === undefined) {
      service = new Service(ctx, served)
      this.#made.set(served, service)
    }
    return service
  }
}
