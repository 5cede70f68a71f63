import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { ServedProfile } from '../../profiles/compile.ts'
import type { Profile } from '../../profiles/profile.ts'
import type { Caller, Rights } from '../shared/caller.ts'
import type { ServiceContext } from '../shared/context.ts'
import type { pathId } from '../shared/schemas.ts'
import type { LayoutName } from './layout.ts'

/** What documents and checks know of an operation. Members are spelled in snake_case; those of the answer too. */
export interface OperationSchema {
  readonly tags: readonly string[]
  /** As `createContentWebhook`. */
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** Of the path, beside the workspace. */
  readonly params?: Readonly<Record<string, ReturnType<typeof pathId>>>
  readonly querystring?: TSchema
  readonly headers?: TSchema
  readonly body?: TSchema
  readonly response: Readonly<Record<number, TSchema>>
}

/** What an operation reads, in snake_case, once it fits the schema. */
export interface Input {
  readonly query?: object
  readonly body?: unknown
}

/** One request for an operation. */
export interface Call<I extends Input = Input> {
  readonly ctx: ServiceContext
  readonly caller: Caller
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Whether the caller still may, some time later. */
  readonly isAuthorized: () => Promise<boolean>
  /** Of the path: the workspace, and what is named below it. */
  readonly params: Readonly<Record<string, string>>
  readonly query: I['query']
  readonly body: I['body']
}

/** Something that services can do, whichever service it is. */
export interface Operation<I extends Input = Input> {
  /** Names it in texts of profiles. */
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below the base of the layout; `null`: services of the layout do not have it. */
  readonly path: (layout: LayoutName) => string | null
  /** Whether the service has it; every one if left out. */
  readonly isIn?: (profile: Profile) => boolean
  readonly access: (profile: Profile) => Rights
  readonly schema: (service: ServedProfile) => OperationSchema
  readonly bodyLimit?: number
  /** Asked once the credential is good, before the body is read. @throws Problem */
  readonly beforeBody?: (ctx: ServiceContext, caller: Caller) => void
  /** Asked before anything looks at the body. @throws Problem */
  readonly beforeSchema?: (request: FastifyRequest) => void
  /**
   * Left out: what is wrong is refused. `collected`: what is wrong with the body is handed to the operation, which adds to it (see `Mistakes`). `own`: the
   * operation checks the body, and the schema is for documents.
   */
  readonly bodyCheck?: 'collected' | 'own'
  /** Whether the answer holds events, whose members are not known here: it is written without a compiled schema. */
  readonly hasOpenMembers?: true
  /** @returns what is answered, in snake_case; `null`: nothing; a stream is sent as it is */
  readonly run: (call: Call<I>) => Promise<object | Readable | null>
}

/** Types an operation by what it reads. */
export const operation = <I extends Input = Input>(of: Operation<I>): Operation => of as unknown as Operation
