import { Type } from 'typebox'
import { serviceOf } from '../../../profiles/compile.ts'
import type { Profile } from '../../../profiles/profile.ts'
import { checkProfileInTurns } from '../../../services/checkInTurns.ts'
import { adminGuard } from '../../shared/auth.ts'
import type { Route } from '../../shared/context.ts'
import { BODY_PROBLEMS, problemResponses } from '../../shared/problems.ts'
import { sampleOf, sampleSecret } from '../../shared/sampleRequests.ts'
import { closed, nullable } from '../../shared/schemas.ts'
import { ADMIN_PROBLEMS } from '../schemas.ts'
import { obstacles, PROFILE_ROUTE, profileBody, remarks } from './services.ts'

const RequestSchema = closed(
  {
    type: Type.String({ description: 'The event type of the example.' }),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'Headers, except those of the connection itself.',
    }),
    body: Type.String({ description: 'The exact signed text.' }),
    secret: nullable(
      Type.String({
        description:
          'Verifies the signatures of the example: a secret or a public key, created for the example. Null: the request is not signed.',
      }),
    ),
  },
  { title: 'ExampleRequest', description: 'An example of a request to a receiver.' },
)

const schema = {
  operationId: 'checkService',
  tags: ['Services'],
  summary: 'Check a profile',
  description:
    'Checks a profile and returns an example request. If a service has the same name, also checks whether the profile can replace the profile of this service. Nothing is changed.',
  body: profileBody,
  response: {
    200: closed(
      {
        errors: remarks('What is wrong, and what is allowed. Empty: the profile is valid.'),
        warnings: remarks('Choices that work but are not recommended.'),
        request: nullable(RequestSchema),
      },
      { title: 'ServiceCheck' },
    ),
    ...problemResponses(...ADMIN_PROBLEMS, ...BODY_PROBLEMS),
  },
}

export const checkService: Route = (app, ctx) => {
  app.post(
    '/admin/v1/services/check',
    { schema, ...PROFILE_ROUTE, onRequest: adminGuard(ctx) },
    async (request) => {
      const { errors, warnings, profile } = await checkProfileInTurns(request.body)
      const replaced = profile === null ? null : (ctx.dialects.get(profile.name) ?? null)
      const wrong = profile === null ? errors : obstacles(profile, null, replaced)
      return {
        errors: [...wrong],
        warnings: [...warnings],
        request: profile === null ? null : exampleOf(profile),
      }
    },
  )
}

/** Of a service that describes no event type. */
const ANY_EVENT = { type: 'invoice.paid', example: { invoice_id: 'inv_1001', amount_cents: 4900 } }

function exampleOf(profile: Profile) {
  const service = serviceOf(profile, {})
  const [event = ANY_EVENT] = [...service.catalog.values()].filter(({ subscribable }) => subscribable)
  const { headers, body } = sampleOf(service, event)
  const secret = profile.signatures.length === 0 ? null : sampleSecret(service)
  return { type: event.type, headers: { ...headers }, body, secret }
}
