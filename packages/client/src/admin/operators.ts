import { unwrap } from '../connection/answer.ts'
import type { operations } from '../generated/admin.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { eachListed } from '../resources/pages.ts'
import type { AdminApi, Operator, OperatorPage, OperatorQuery, OperatorToCreate } from './types.ts'

/** People who run the service. Signed in, they have the rights of the admin token. */
export function operators(api: AdminApi) {
  function list(query: OperatorQuery = {}, options: RequestOptions = {}): Promise<OperatorPage> {
    return unwrap(api.GET('/admin/v1/operators', { params: { query }, ...requestInit(options) }))
  }

  return {
    create(operator: OperatorToCreate, options: PostOptions = {}): Promise<Operator> {
      const body = bodyFor<operations['createOperator']>(operator)
      return unwrap(api.POST('/admin/v1/operators', { body, ...requestInit(options) }))
    },

    /** One page, newest first. */
    list,

    /** Every operator, newest first. */
    iterate(
      query: OperatorQuery = {},
      options: RequestOptions = {},
    ): AsyncGenerator<Operator, void, undefined> {
      return eachListed(query, (part) => list(part, options))
    },

    async delete(id: string, options: RequestOptions = {}): Promise<void> {
      const params = { path: { id } }
      await unwrap(api.DELETE('/admin/v1/operators/{id}', { params, ...requestInit(options) }))
    },
  }
}
